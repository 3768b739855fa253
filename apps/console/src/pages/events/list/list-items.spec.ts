import type { EventRow } from '../../../api/operations.js';
import { findEvent, findShift, toItems } from './list-items.js';

const event = (time: string): EventRow => ({
  id: time,
  type: 'settlementbus.margin.warning.v1',
  participant: 'ALPHA',
  subject: 'ALPHA/prudential',
  severity: 'info',
  time,
  archivedAt: time,
  marks: [],
  figures: {},
});
const rows = ['2026-03-03T01:00:00+08:00', '2026-03-02T16:30:00Z', '2026-03-02T15:59:59Z'].map(event);
const items = toItems(rows);
const kinds = items.map((item) => (item.kind === 'day' ? item.day : item.key));

it('has a heading for each day of the market', () => {
  expect(kinds).toEqual(['Tue 3 Mar 2026', rows[0]?.id, rows[1]?.id, 'Mon 2 Mar 2026', rows[2]?.id]);
});

it('finds how far what the reader sees has moved', () => {
  const later = toItems([event('2026-03-04T01:00:00+08:00'), event('2026-03-03T02:00:00+08:00'), ...rows]);
  expect(findShift(items, later, 4)).toEqual({ items: 3, events: 2 });
  expect(findShift(items, later, 0)).toEqual({ items: 2, events: 1 });
  expect(findShift(items, toItems([]), 4)).toEqual({ items: 0, events: 0 });
});

it('moves from event to event', () => {
  expect(findEvent(items, 0, 1)).toBe(1);
  expect(findEvent(items, 3, 1)).toBe(4);
  expect(findEvent(items, 3, -1)).toBe(2);
  expect(findEvent(items, 0, -1)).toBe(1);
  expect(findEvent(items, 99, 1)).toBe(4);
  expect(findEvent([], 0, 1)).toBe(-1);
});
