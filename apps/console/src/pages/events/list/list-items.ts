import type { EventRow } from '../../../api/operations.js';
import { readMarketClock, toMarketDay } from '../../../format/market-time.js';

/** A row of the list: the heading of a day of the market, or an event. All have the same height. */
export type ListItem =
  | { readonly kind: 'day'; readonly key: string; readonly day: string }
  | { readonly kind: 'event'; readonly key: string; readonly row: EventRow };

/** Rows keep their identity, and a list may have many. */
const days = new WeakMap<EventRow, string>();

function dayOf(row: EventRow): string {
  let day = days.get(row);
  if (day === undefined) days.set(row, (day = toMarketDay(Date.parse(row.time))));
  return day;
}

/** The events with a heading for each day of the market. */
export function toItems(rows: readonly EventRow[]): readonly ListItem[] {
  const items: ListItem[] = [];
  let last = '';
  for (const row of rows) {
    const day = dayOf(row);
    if (day !== last) items.push({ kind: 'day', key: `day ${day}`, day: readMarketClock(row.time).day });
    items.push({ kind: 'event', key: row.id, row });
    last = day;
  }
  return items;
}

/** How far an item has moved down, and how many events are new above it. */
export interface Shift {
  readonly items: number;
  readonly events: number;
}

/** Compares two states of the list at an item that the reader sees. */
export function findShift(before: readonly ListItem[], after: readonly ListItem[], seen: number): Shift {
  const key = before[seen]?.key;
  const place = after.findIndex((item) => item.key === key);
  if (key === undefined || place < 0) return { items: 0, events: 0 };
  const count = (items: readonly ListItem[], end: number): number =>
    items.reduce((sum, { kind }, index) => sum + Number(index < end && kind === 'event'), 0);
  return { items: place - seen, events: count(after, place) - count(before, seen) };
}

/** The next event in a direction, from an item that may be a heading; the item itself at an end of the list. */
export function findEvent(items: readonly ListItem[], from: number, step: 1 | -1): number {
  for (let at = Math.min(Math.max(from, 0), items.length - 1); items[at] !== undefined; at += step)
    if (items[at]?.kind === 'event') return at;
  return step === 1 ? findLast(items) : items.findIndex(({ kind }) => kind === 'event');
}

const findLast = (items: readonly ListItem[]): number => items.findLastIndex(({ kind }) => kind === 'event');
