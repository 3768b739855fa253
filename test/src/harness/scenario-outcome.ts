import type { DetectedEvent } from '@ssb/events';
import { withAnyDigest } from '@ssb/tools';

/** An event of the queue, with any data. */
export type QueuedEvent = Pick<DetectedEvent, 'id' | 'type' | 'subject' | 'participant'> & {
  readonly data: Readonly<Record<string, unknown>>;
};

/** An event that must come of a scenario, as the simulator logs it. */
export interface ExpectedEvent {
  readonly type: string;
  readonly subject: string;
  /** Figures that the event must have. An object may have more properties, a list no more entries. `null`: no such property. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether it may come at any place among the events of its participant. */
  readonly isUnordered: boolean;
}

/** What must come of a scenario for one participant, and what the poller queued. */
export interface Outcome {
  readonly expected: readonly ExpectedEvent[];
  /** Expected number of position.calculated. */
  readonly calculations: number;
  /** The queued events of each step, in their order, without those about the bridge itself. */
  readonly steps: readonly (readonly QueuedEvent[])[];
}

type Row = Pick<ExpectedEvent, 'type' | 'subject' | 'data'>;

export function toRows(expected: readonly ExpectedEvent[]): Row[] {
  return expected.map(({ type, subject, data }) => ({ type, subject, data }));
}

/**
 * The queued events with the figures that are expected. Equal to `toRows(expected)` when exactly these events came, in their order. One
 * that may come at any place, and events of one step with different subjects, have the places at which they are expected.
 */
export function alignRows(expected: readonly ExpectedEvent[], steps: Outcome['steps']): Row[] {
  const rest = steps.map((events) =>
    events.map((event) => ({ ...event, subject: withAnyDigest(event.subject) })),
  );
  const unordered = new Map<ExpectedEvent, QueuedEvent>();
  for (const each of expected.filter(({ isUnordered }) => isUnordered))
    for (const events of rest)
      if (!unordered.has(each)) {
        const event = take(events, (candidate) => hasFigures(candidate, each));
        if (event !== undefined) unordered.set(each, event);
      }
  const rows = expected.flatMap((each): Row[] => {
    const event = each.isUnordered ? unordered.get(each) : takeNext(rest, each);
    if (event === undefined) return [];
    return [{ type: event.type, subject: event.subject, data: selectFigures(event.data, each.data) }];
  });
  return [...rows, ...toRows(rest.flat().map((event) => ({ ...event, isUnordered: false })))];
}

/** The next event, or a later one of its step with the expected subject. */
function takeNext(steps: QueuedEvent[][], { type, subject }: ExpectedEvent): QueuedEvent | undefined {
  const events = steps.find(({ length }) => length > 0) ?? [];
  const next = events.find((event) => event.subject === subject);
  return next?.type === type ? take(events, (event) => event === next) : events.shift();
}

function take(events: QueuedEvent[], isWanted: (event: QueuedEvent) => boolean): QueuedEvent | undefined {
  const index = events.findIndex(isWanted);
  return index < 0 ? undefined : events.splice(index, 1)[0];
}

function hasFigures({ type, subject, data }: QueuedEvent, expected: ExpectedEvent): boolean {
  const figures = JSON.stringify(selectFigures(data, expected.data));
  return type === expected.type && subject === expected.subject && figures === JSON.stringify(expected.data);
}

function selectFigures(data: Row['data'], figures: Row['data']): Row['data'] {
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, select(data[name], figure)]),
  );
}

function select(value: unknown, figure: unknown): unknown {
  if (figure === null) return value ?? null;
  if (Array.isArray(figure) && Array.isArray(value))
    return value.map((each, index) => (index < figure.length ? select(each, figure[index]) : each));
  if (isRecord(figure) && isRecord(value)) return selectFigures(value, figure);
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
