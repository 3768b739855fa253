import type { DeliveryDetail, EventDetail } from '../../../api/operations.js';
import { listWords } from '../../../format/names.js';
import { describeState, isFailing } from '../../deliveries/delivery-states.js';

/** One step of an event on its path from the operator to its receivers. */
export interface PathStep {
  readonly name: string;
  /** What happened in it, in one sentence. */
  readonly meaning: string;
  /** With its offset; undefined when it is not stored, or has not happened. */
  readonly at?: string | undefined;
  /** From the last step with a time, milliseconds; negative when two clocks differ. */
  readonly afterMs?: number | undefined;
  /** Instead of a time: between which steps it happened, or what it waits for. */
  readonly instead?: string;
  readonly state: 'done' | 'waiting' | 'failed' | 'none';
}

type Stored = Pick<EventDetail, 'id' | 'event' | 'message' | 'archivedAt' | 'deliveries'>;

/** The path of an event. Queue and verification have no time of their own: nothing stores it. */
export function describePath(detail: Stored): readonly PathStep[] {
  const { event, message, archivedAt } = detail;
  const detectedAt = readTime(event['detectedat']);
  const archived: PathStep = {
    name: 'Archived',
    meaning: 'The subscriber stored it.',
    at: archivedAt,
    state: 'done',
  };
  const delivered = describeDelivery(detail);
  if (message === undefined)
    return withDifferences([
      {
        name: 'Detected',
        meaning: 'The subscriber noticed the fault itself.',
        at: detectedAt,
        state: 'done',
      },
      archived,
      delivered,
    ]);
  return withDifferences([
    { name: 'Detected', meaning: 'The bridge saw the fact at the operator.', at: detectedAt, state: 'done' },
    {
      name: 'Queued',
      meaning: 'The event waited to be published.',
      instead: 'between detected and signed',
      state: 'done',
    },
    { name: 'Signed', meaning: 'The bridge signed it.', at: readTime(event['signedat']), state: 'done' },
    {
      name: 'On the bus',
      meaning: 'The bus stored the message.',
      at: readTime(message.appendedAt),
      state: 'done',
    },
    {
      name: 'Verified',
      meaning: 'The subscriber checked both signatures.',
      instead: 'between on the bus and archived',
      state: 'done',
    },
    archived,
    delivered,
  ]);
}

/** To the receivers of the event itself. Reminders and the like are about it, and later. */
function describeDelivery({ id, deliveries }: Stored): PathStep {
  const own = deliveries.filter(({ eventId }) => eventId === id);
  const accepted = own.filter(({ state }) => state === 'delivered');
  const parked = own.filter(({ state }) => state === 'parked');
  const failing = own.filter(isFailing);
  const waiting = own.filter(({ state }) => state === 'pending');
  const name = 'Delivered';
  const [at] = accepted.flatMap(({ endedAt }) => endedAt ?? []).sort();
  const step = (state: PathStep['state'], instead: string, meaning: string): PathStep => {
    return { name, meaning, at, instead, state };
  };
  if (own.length === 0) return step('none', 'nothing to deliver', 'No receiver gets this event.');
  if (parked.length > 0) return step('failed', 'refused', `${listSinks(parked)} refused it.`);
  if (failing.length > 0) {
    const meaning = `${listSinks(failing)} has not accepted it: the last attempt failed.`;
    return step('failed', 'failing', meaning);
  }
  if (waiting.length > 0) return step('waiting', 'waiting', `${listSinks(waiting)} has not accepted it yet.`);
  if (accepted.length === 0) {
    const states = new Set(own.map((each) => describeState(each).label));
    return step('none', [...states].join(', '), 'It was not sent on its own.');
  }
  const note = accepted.length > 1 ? '; the time is that of the first' : '';
  return { name, meaning: `${listSinks(accepted)} accepted it${note}.`, at, state: 'done' };
}

const listSinks = (deliveries: readonly DeliveryDetail[]): string =>
  listWords([...new Set(deliveries.map(({ sink }) => sink))]);

function withDifferences(steps: readonly PathStep[]): readonly PathStep[] {
  let before: number | undefined;
  return steps.map((step) => {
    if (step.at === undefined) return step;
    const at = Date.parse(step.at);
    const afterMs = before === undefined ? undefined : at - before;
    before = at;
    return { ...step, afterMs };
  });
}

/** Times of the bus have nanoseconds, of which a Date keeps milliseconds. */
function readTime(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.replace(/(\.\d{3})\d+/, '$1') : '';
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}

/** How long the event took from its detection to the first receiver, milliseconds. */
export function totalMs(steps: readonly PathStep[]): number | undefined {
  const last = steps.at(-1);
  if (last?.state !== 'done' || last.at === undefined || steps[0]?.at === undefined) return undefined;
  return Date.parse(last.at) - Date.parse(steps[0].at);
}
