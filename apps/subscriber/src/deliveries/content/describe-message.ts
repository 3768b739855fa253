import type { Severity } from '@ssb/events';
import { toPrintable } from '@ssb/net';
import { hasEnded, type DeliveryKind, type ProblemState } from '../../domain/delivery-kind.js';
import type { Mark } from '../../domain/marks.js';
import { describeDigest } from './describe-digest.js';
import { eventFigures, titleFigures } from './figures/event-figures.js';
import type { Figure } from './formats.js';
import { eventText } from './texts/event-texts.js';
import { formatDate, formatInstant, formatText } from './formats.js';
import { readMessageBody, type EventPart, type MessageBody, type ProblemPart } from './message-body.js';
import { nameOf, problemFigures, worstFigure } from './figures/problem-figures.js';

/** What a message for a person is made from. */
export interface DescribedMessage {
  readonly eventId: string;
  readonly kind: DeliveryKind;
  readonly severity: Severity;
  readonly marks: readonly Mark[];
  readonly problemId: string | null;
  /** The state of its problem once the event was applied. */
  readonly problemState?: ProblemState | null;
  /** Its problem as it is now. */
  readonly problem?: ProblemPart | null;
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
  /** The id in it. */
  readonly eventId: string;
}

type Described = Omit<HumanMessage, 'link' | 'reference' | 'eventId'>;

const MAX_TITLE_LENGTH = 200;

const REMARKS: Readonly<Record<Mark, string>> = {
  late: 'This fact is old: it was published or signed long before it arrived. Compare its time before you act.',
  clockSkew: 'The clock of the publisher or of the bus is wrong.',
  local: 'The subscriber of the bridge reports this about itself.',
};

/** Why the message is sent, and what it is about. @param consoleUrl address of the console; undefined without one */
export function describeMessage(message: DescribedMessage, consoleUrl?: string): HumanMessage {
  const body = readMessageBody(message.text);
  const { event, problem = problemOfEvent(event, message) } = body;
  return describeBody({ ...body, ...(problem && { problem }) }, message, consoleUrl);
}

/** An event that has just opened its problem says all of it, while nobody has acknowledged it. */
function problemOfEvent(
  event: EventPart | undefined,
  { problem }: DescribedMessage,
): ProblemPart | undefined {
  if (event === undefined || !problem) return undefined;
  const { since, state, worsened, acknowledged } = problem;
  const isNew = since === event.time && worsened === 0 && acknowledged === undefined && !hasEnded(state);
  return isNew ? undefined : problem;
}

/** @param body that of the message, or one that is made for it */
export function describeBody(
  body: MessageBody,
  message: DescribedMessage,
  consoleUrl: string | undefined,
): HumanMessage {
  const { event } = body;
  // A digest and a test have no page.
  const link = consoleUrl === undefined || event === undefined ? undefined : consoleLink(consoleUrl, message);
  const described =
    event === undefined ? describeWithoutEvent(body, message) : describeEvent(event, body, message);
  const reference = `Reference: ${message.eventId}, ${formatText(message.subject)}`;
  return { ...described, reference, eventId: message.eventId, ...(link !== undefined && { link }) };
}

/** A body without an event of its own: a digest, or the test of a sink. */
function describeWithoutEvent(body: MessageBody, message: DescribedMessage): Described {
  if (body.events === undefined) return describeTest(body);
  return { ...describeDigest(body.events), remarks: remarksOf(message) };
}

function describeTest({ sink = '', requestedBy = '', comment }: MessageBody): Described {
  return {
    title: toPrintable(`TEST of the sink ${sink}`, MAX_TITLE_LENGTH),
    explanation: 'Messages of the settlement bus bridge reach you here.',
    figures: [
      { label: 'Requested by', value: formatText(requestedBy) },
      ...(comment === undefined ? [] : [{ label: 'Comment', value: formatText(comment) }]),
    ],
    action: 'Nothing.',
    remarks: [],
  };
}

function describeEvent(event: EventPart, body: MessageBody, message: DescribedMessage): Described {
  return {
    title: titleOf(message, body, event),
    explanation: [...explainMessage(body), eventText(event).explanation].join(' '),
    figures: [
      ...eventFigures(event.type, event.data, worstFigure(body.problem)),
      { label: 'Time of the fact', value: formatInstant(event.time) },
      ...problemFigures(body),
    ],
    ...whatToDo(event, body),
    remarks: [...problemRemarks(body, message), ...remarksOf(message)],
  };
}

const remarksOf = ({ marks }: DescribedMessage): string[] => marks.map((mark) => REMARKS[mark]);

/** The present state of the problem, in an alert that is its event. */
function problemRemarks({ message, problem }: MessageBody, { kind }: DescribedMessage): string[] {
  if (message !== 'event' || kind !== 'alert' || problem === undefined) return [];
  if (hasEnded(problem.state)) return ['This problem has ended meanwhile.'];
  const { acknowledged, reminders = 0, escalations = 0 } = problem;
  if (acknowledged === undefined)
    return reminders + escalations > 0 ? ['Nobody has acknowledged this problem yet.'] : [];
  return [`This problem is acknowledged by ${nameOf(acknowledged.by)}.`];
}

function titleOf({ kind, severity }: DescribedMessage, body: MessageBody, event: EventPart): string {
  const number = body.number === undefined ? '' : ` ${body.number}`;
  const urgency = kind === 'resolved' ? 'RESOLVED' : severity.toUpperCase();
  const prefix =
    body.message === 'event'
      ? urgency
      : `${body.message.replace('-', ' ').toUpperCase()}${number}, ${urgency}`;
  const about = event.participant === '*' ? '' : ` ${event.participant}`;
  const figures = titleFigures(event.type, event.data)
    .map(({ value }) => `, ${value}`)
    .join('');
  return toPrintable(`${prefix}${about}: ${eventText(event).title}${figures}`, MAX_TITLE_LENGTH);
}

/** Why the message is sent, when it is not the event itself. */
function explainMessage({ message, problem, silence }: MessageBody): string[] {
  const isAcknowledged = problem?.acknowledged !== undefined;
  switch (message) {
    case 'reminder':
      return [isAcknowledged ? 'This has not ended yet.' : 'Nobody has handled this yet.'];
    case 'escalation':
      return [
        isAcknowledged
          ? 'No receiver has accepted an alert of this in time.'
          : 'Nobody has acknowledged this in time.',
      ];
    case 'acknowledged':
      return [`${nameOf(problem?.acknowledged?.by)} knows of this.`];
    case 'closed':
      return [`${nameOf(problem?.closed?.by)} has closed this.`];
    case 'silence-began': {
      const until = formatInstant(silence?.endsAt ?? '');
      return [`${nameOf(silence?.author)} has silenced this until ${until}: nobody else is notified.`];
    }
    case 'silence-ended':
      return ['The silence that hid this is over.'];
    default:
      return [];
  }
}

/** A closed problem needs nothing more. */
function whatToDo(event: EventPart, { message }: MessageBody): Pick<Described, 'action' | 'dueBy'> {
  if (message === 'closed') return { action: 'Nothing.' };
  const text = eventText(event);
  const { action, dueDate } = (event.data ?? {}) as { readonly action?: string; readonly dueDate?: string };
  return {
    // A fault of the bridge brings its own action.
    action: action ? formatText(`Pass this to the operators of the bridge: ${action}`) : text.action,
    ...(dueDate && text.isDue !== false && { dueBy: formatDate(dueDate) }),
  };
}

function consoleLink(consoleUrl: string, { problemId, eventId }: DescribedMessage): string {
  const [page, id] = problemId === null ? ['events', eventId] : ['problems', problemId];
  return `${consoleUrl.replace(/\/$/, '')}/${page}/${encodeURIComponent(id)}`;
}
