import type { DetectedEvent, Severity } from '@ssb/events';
import { escapeLine, toPrintable } from '@ssb/net';
import type { DeliveryKind } from '../../domain/delivery-kind.js';
import type { Mark } from '../../domain/marks.js';
import { eventFigures, type Figure } from './event-figures.js';
import { EVENT_TEXTS } from './event-texts.js';

/** What a message for a person is made from. */
export interface DescribedMessage {
  readonly kind: DeliveryKind;
  readonly severity: Severity;
  readonly marks: readonly Mark[];
  readonly problemId: string | null;
  /** The archived event. */
  readonly text: string;
}

/** A message that a person understands without knowing JSON. Each text is one line, without control characters. */
export interface HumanMessage {
  /** Such as `CRITICAL ALPHA: Trading margin below the breach threshold, -60,000.5 AUD`. */
  readonly title: string;
  readonly explanation: string;
  readonly figures: readonly Figure[];
  /** Time of the fact; market time. */
  readonly since: string;
  /** What to do. */
  readonly action: string;
  /** By when; market date. */
  readonly dueBy?: string;
  /** What a reader must know in addition. */
  readonly remarks: readonly string[];
  /** Address of the problem or event in the console. */
  readonly link?: string;
}

const MAX_TITLE_LENGTH = 200;
const MAX_ACTION_LENGTH = 600;

const REMARKS: Readonly<Record<Mark, string>> = {
  late: 'This fact is old: it was published or signed long before it arrived. Compare its time before you act.',
  clockSkew: 'The clock of the publisher or of the bus is wrong.',
  local: 'The subscriber of the bridge reports this about itself.',
};

type EventPart = Pick<DetectedEvent, 'type' | 'participant' | 'time' | 'data' | 'id'>;

/** @param consoleUrl address of the console; undefined without one */
export function describeMessage(message: DescribedMessage, consoleUrl?: string): HumanMessage {
  const event = JSON.parse(message.text) as EventPart;
  const text = EVENT_TEXTS[event.type];
  const { action, dueDate } = event.data as { readonly action?: string; readonly dueDate?: string };
  return {
    title: titleOf(message, event),
    explanation: text.explanation,
    figures: eventFigures(event.type, event.data),
    since: formatFactTime(event.time),
    action: toPrintable(action ?? text.action, MAX_ACTION_LENGTH),
    ...(dueDate !== undefined && { dueBy: escapeLine(dueDate.slice(0, 10)) }),
    remarks: message.marks.map((mark) => REMARKS[mark]),
    ...(consoleUrl !== undefined && {
      link: consoleLink(consoleUrl, message.problemId, event.id),
    }),
  };
}

function titleOf({ kind, severity }: DescribedMessage, event: EventPart): string {
  const prefix = kind === 'resolved' ? 'RESOLVED' : severity.toUpperCase();
  const about = event.participant === '*' ? '' : ` ${event.participant}`;
  const decisive = eventFigures(event.type, event.data, true);
  const figures = decisive.map(({ value }) => `, ${value}`).join('');
  return toPrintable(`${prefix}${about}: ${EVENT_TEXTS[event.type].title}${figures}`, MAX_TITLE_LENGTH);
}

/** `2026-03-02T14:00:00+08:00` → `2026-03-02 14:00:00 market time (UTC+8)`. */
function formatFactTime(time: string): string {
  return `${escapeLine(time.slice(0, 19).replace('T', ' '))} market time (UTC+8)`;
}

function consoleLink(consoleUrl: string, problemId: string | null, eventId: string): string {
  const [page, id] = problemId === null ? ['events', eventId] : ['problems', problemId];
  return `${consoleUrl.replace(/\/$/, '')}/${page}/${encodeURIComponent(id)}`;
}
