import type { Severity } from '@ssb/events';
import { escapeLine, toPrintable } from '@ssb/net';
import type { DeliveryKind } from '../../domain/delivery-kind.js';
import type { Mark } from '../../domain/marks.js';
import { eventFigures, type Figure } from './event-figures.js';
import { eventText } from './event-texts.js';
import { readMessageBody, type EventPart, type MessageBody } from './message-body.js';

/** What a message for a person is made from. */
export interface DescribedMessage {
  readonly eventId: string;
  readonly kind: DeliveryKind;
  readonly severity: Severity;
  readonly marks: readonly Mark[];
  readonly problemId: string | null;
  readonly subject: string;
  /** The body of the delivery. */
  readonly text: string;
}

/** A message that a person understands without knowing JSON. Each text is one line, without control characters. */
export interface HumanMessage {
  /** Such as `CRITICAL ALPHA: Trading margin below the breach threshold, -60,000.5 AUD`. */
  readonly title: string;
  readonly explanation: string;
  readonly figures: readonly Figure[];
  /** What to do. */
  readonly action: string;
  /** By when; market date. */
  readonly dueBy?: string;
  /** What a reader must know in addition. */
  readonly remarks: readonly string[];
  /** Address of the problem or event in the console. */
  readonly link?: string;
  /** What names the message to the operators of the bridge. */
  readonly reference: string;
}

type Described = Omit<HumanMessage, 'link' | 'reference'>;

const MAX_TITLE_LENGTH = 200;
const MAX_LINE_LENGTH = 600;

const REMARKS: Readonly<Record<Mark, string>> = {
  late: 'This fact is old: it was published or signed long before it arrived. Compare its time before you act.',
  clockSkew: 'The clock of the publisher or of the bus is wrong.',
  local: 'The subscriber of the bridge reports this about itself.',
};

/** @param consoleUrl address of the console; undefined without one */
export function describeMessage(message: DescribedMessage, consoleUrl?: string): HumanMessage {
  const body = readMessageBody(message.text);
  const { event } = body;
  const link = consoleUrl === undefined ? undefined : consoleLink(consoleUrl, message);
  const described = event === undefined ? describeTest(body) : describeEvent(event, body, message);
  const reference = `${message.eventId}, ${toPrintable(message.subject, MAX_LINE_LENGTH)}`;
  return { ...described, reference, ...(link !== undefined && { link }) };
}

/** A body without an event: the test of a sink. */
function describeTest({ sink = '', requestedBy = '', comment }: MessageBody): Described {
  return {
    title: toPrintable(`TEST of the sink ${sink}`, MAX_TITLE_LENGTH),
    explanation: 'Messages of the settlement bus bridge reach you here.',
    figures: [
      { label: 'Requested by', value: toPrintable(requestedBy, MAX_LINE_LENGTH) },
      ...(comment === undefined ? [] : [{ label: 'Comment', value: toPrintable(comment, MAX_LINE_LENGTH) }]),
    ],
    action: 'Nothing.',
    remarks: [],
  };
}

function describeEvent(event: EventPart, body: MessageBody, message: DescribedMessage): Described {
  const text = eventText(event.type);
  const { action, dueDate } = (event.data ?? {}) as { readonly action?: string; readonly dueDate?: string };
  return {
    title: titleOf(message, body, event),
    explanation: [...explainMessage(body), text.explanation].join(' '),
    figures: [
      ...eventFigures(event.type, event.data),
      { label: 'Time of the fact', value: formatFactTime(event.time) },
      ...problemFigures(body),
    ],
    action: toPrintable(action || text.action, MAX_LINE_LENGTH),
    ...(dueDate && { dueBy: escapeLine(dueDate.slice(0, 10)) }),
    remarks: message.marks.map((mark) => REMARKS[mark]),
  };
}

function titleOf({ kind, severity }: DescribedMessage, body: MessageBody, event: EventPart): string {
  const number = body.number === undefined ? '' : ` ${body.number}`;
  const urgency = kind === 'resolved' ? 'RESOLVED' : severity.toUpperCase();
  const prefix =
    body.message === 'event'
      ? urgency
      : `${body.message.replace('-', ' ').toUpperCase()}${number}, ${urgency}`;
  const about = event.participant === '*' ? '' : ` ${event.participant}`;
  const decisive = eventFigures(event.type, event.data, true);
  const figures = decisive.map(({ value }) => `, ${value}`).join('');
  return toPrintable(`${prefix}${about}: ${eventText(event.type).title}${figures}`, MAX_TITLE_LENGTH);
}

/** Why the message is sent, when it is not the event itself. */
function explainMessage({ message, problem, silence }: MessageBody): string[] {
  switch (message) {
    case 'reminder':
      return [problem?.acknowledged === undefined ? 'Nobody has handled this yet.' : 'This lasts.'];
    case 'escalation':
      return ['Nobody has acknowledged this in time.'];
    case 'acknowledged':
      return [`${personOf(problem?.acknowledged)} knows of this.`];
    case 'closed':
      return [`${personOf(problem?.closed)} has closed this.`];
    case 'silence-began':
      return [
        `A silence of ${toPrintable(silence?.author ?? '', MAX_TITLE_LENGTH)} hides this from all sinks.`,
      ];
    case 'silence-ended':
      return ['The silence that hid this is over.'];
    default:
      return [];
  }
}

function problemFigures({ problem, silence }: MessageBody): Figure[] {
  if (problem === undefined) return [];
  const { since, worsened, acknowledged, closed } = problem;
  const comment = (closed ?? acknowledged)?.comment;
  return [
    { label: 'Lasts since', value: formatFactTime(since) },
    ...(worsened === 0
      ? []
      : [{ label: 'Became worse', value: worsened === 1 ? 'once' : `${worsened} times` }]),
    ...(acknowledged === undefined ? [] : [{ label: 'Acknowledged by', value: personOf(acknowledged) }]),
    ...(comment === undefined ? [] : [{ label: 'Comment', value: toPrintable(comment, MAX_LINE_LENGTH) }]),
    ...silenceFigures(silence),
  ];
}

function silenceFigures(silence: MessageBody['silence']): Figure[] {
  if (silence === undefined) return [];
  const { endsAt, author, comment, ended } = silence;
  return [
    { label: 'Silenced by', value: toPrintable(author, MAX_LINE_LENGTH) },
    { label: 'Comment of the silence', value: toPrintable(comment, MAX_LINE_LENGTH) },
    ended === undefined
      ? { label: 'Silence ends', value: escapeLine(endsAt) }
      : { label: 'Silence ended by', value: personOf(ended) },
  ];
}

const personOf = (person: { readonly by: string } | undefined): string =>
  toPrintable(person?.by ?? 'Somebody', MAX_TITLE_LENGTH);

/** `2026-03-02T14:00:00+08:00` → `2026-03-02 14:00:00 market time (UTC+8)`. */
function formatFactTime(time: string): string {
  return `${escapeLine(time.slice(0, 19).replace('T', ' '))} market time (UTC+8)`;
}

function consoleLink(consoleUrl: string, { problemId, eventId }: DescribedMessage): string {
  const [page, id] = problemId === null ? ['events', eventId] : ['problems', problemId];
  return `${consoleUrl.replace(/\/$/, '')}/${page}/${encodeURIComponent(id)}`;
}
