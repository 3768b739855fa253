import type { ProblemDelivery } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { explainWithheld, isFailing } from '../deliveries/delivery-states.js';

type Result = 'accepted' | 'waiting' | 'failed' | 'withheld';

/** What one sink did with a message. */
export interface SinkOutcome {
  readonly eventId: string;
  readonly sink: string;
  readonly result: Result;
  /** When it accepted the message. */
  readonly acceptedAt: string | undefined;
  /** The response, or why it does not have the message. */
  readonly text: string;
}

/** One message, and which sinks accepted it. */
interface Message {
  readonly key: string;
  readonly at: string;
  readonly title: string;
  readonly tone: 'good' | 'warning' | 'critical' | 'muted';
  readonly eventId: string;
  readonly sinks: readonly SinkOutcome[];
}

/** A reminder, and a notice of what a person did, has an id of its own for each sink. They are added within this time. */
const TOGETHER_MS = 5_000;

/**
 * Deliveries of the same message together, oldest first.
 * @param eventIds of the archived events of the problem; other ids are those of messages
 */
export function toMessages(
  deliveries: readonly ProblemDelivery[],
  eventIds: ReadonlySet<string>,
): readonly Message[] {
  const groups: ProblemDelivery[][] = [];
  for (const delivery of deliveries.toSorted((one, other) => toMs(one) - toMs(other))) {
    const group = groups.findLast((parts) => belongsTo(parts, delivery, eventIds));
    if (group === undefined) groups.push([delivery]);
    else group.push(delivery);
  }
  return groups.map(describeGroup);
}

const toMs = ({ addedAt }: ProblemDelivery): number => Date.parse(addedAt);

function belongsTo(
  [first, ...others]: readonly ProblemDelivery[],
  delivery: ProblemDelivery,
  eventIds: ReadonlySet<string>,
): boolean {
  if (first === undefined || first.kind !== delivery.kind) return false;
  if (first.eventId === delivery.eventId) return true;
  const isOfEvent = eventIds.has(first.eventId) || eventIds.has(delivery.eventId);
  const hasSink = [first, ...others].some(({ sink }) => sink === delivery.sink);
  return !isOfEvent && !hasSink && toMs(delivery) - toMs(first) <= TOGETHER_MS;
}

function describeGroup(parts: readonly ProblemDelivery[]): Message {
  const [first] = parts as readonly [ProblemDelivery];
  const sinks = parts.map(describeSink).toSorted((one, other) => one.sink.localeCompare(other.sink));
  return {
    key: `${first.kind} ${first.eventId}`,
    at: first.addedAt,
    title: describeMessage(first.kind, sinks),
    tone: toneOf(sinks),
    eventId: first.eventId,
    sinks,
  };
}

const NAMES: Readonly<Record<string, string>> = {
  alert: 'Alert',
  reminder: 'Reminder',
  escalation: 'Escalation',
  resolved: 'Resolved message',
  notice: 'Notice',
};

function describeMessage(kind: string, sinks: readonly SinkOutcome[]): string {
  const name = NAMES[kind] ?? kind;
  const accepted = sinks.filter(({ result }) => result === 'accepted').length;
  if (accepted === sinks.length)
    return sinks.length === 1
      ? `${name} accepted`
      : `${name} accepted by ${sinks.length === 2 ? 'both' : `all ${sinks.length}`} sinks`;
  if (sinks.every(({ result }) => result === 'withheld')) return `${name} withheld`;
  return accepted === 0
    ? `${name} not accepted yet`
    : `${name} accepted by ${accepted} of ${countOf(sinks.length, 'sink')}`;
}

function toneOf(sinks: readonly SinkOutcome[]): Message['tone'] {
  if (sinks.some(({ result }) => result === 'failed')) return 'critical';
  if (sinks.some(({ result }) => result === 'waiting')) return 'warning';
  return sinks.every(({ result }) => result === 'withheld') ? 'muted' : 'good';
}

function describeSink(delivery: ProblemDelivery): SinkOutcome {
  const { eventId, sink, acceptedAt } = delivery;
  const result = resultOf(delivery);
  return { eventId, sink, acceptedAt, result, text: explain(delivery, result) };
}

function resultOf(delivery: ProblemDelivery): Result {
  const { acceptedAt, state } = delivery;
  if (acceptedAt !== undefined) return 'accepted';
  if (isFailing(delivery)) return 'failed';
  return state === 'pending' ? 'waiting' : 'withheld';
}

function explain({ state, withheld, attempts, lastOutcome }: ProblemDelivery, result: Result): string {
  switch (result) {
    case 'accepted':
      return lastOutcome === undefined ? 'accepted' : `accepted: ${lastOutcome}`;
    case 'waiting':
      return 'waits for its turn';
    case 'failed': {
      const after = `after ${countOf(attempts, 'attempt')}`;
      const outcome = lastOutcome === undefined ? '' : `: ${lastOutcome}`;
      return state === 'parked' ? `refused ${after}${outcome}` : `not accepted ${after}${outcome}`;
    }
    case 'withheld':
      return withheld === undefined ? state : explainWithheld(withheld);
  }
}
