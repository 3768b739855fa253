import type { DeliveredEvent } from './running-system.js';

/** An event that must come of a scenario, as the simulator logs it. */
export interface ExpectedEvent {
  readonly type: string;
  readonly subject: string;
  /** Figures that the event must have. An object may have more properties, a list no more entries. `null`: no such property. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether it may come at any place among the events of its participant. */
  readonly isUnordered: boolean;
}

/** What must come of a scenario for one participant, and what the webhook received, in that order. */
export interface Outcome {
  readonly expected: readonly ExpectedEvent[];
  /** Without events about the bridge itself. */
  readonly received: readonly DeliveredEvent[];
  /** Expected number of position.calculated. */
  readonly calculations: number;
}

type Row = Pick<ExpectedEvent, 'type' | 'subject' | 'data'>;

export function toRows(expected: readonly ExpectedEvent[]): Row[] {
  return expected.map(({ type, subject, data }) => ({ type, subject, data }));
}

/**
 * The received events with the figures that are expected. One that may come at any place has its place among the expected ones. Equal to
 * `toRows(expected)` when exactly these events came.
 */
export function alignRows(expected: readonly ExpectedEvent[], received: readonly DeliveredEvent[]): Row[] {
  const rest = [...received];
  const unordered = new Map<ExpectedEvent, DeliveredEvent>();
  for (const each of expected.filter(({ isUnordered }) => isUnordered)) {
    const index = rest.findIndex(({ type, subject, data }) => {
      const figures = JSON.stringify(select(data, each.data));
      return type === each.type && subject === each.subject && figures === JSON.stringify(each.data);
    });
    for (const event of index < 0 ? [] : rest.splice(index, 1)) unordered.set(each, event);
  }
  const rows = expected.flatMap((each): Row[] => {
    const event = each.isUnordered ? unordered.get(each) : rest.shift();
    if (event === undefined) return [];
    return [{ type: event.type, subject: event.subject, data: selectFigures(event.data, each.data) }];
  });
  return [...rows, ...toRows(rest.map((event) => ({ ...event, isUnordered: false })))];
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
