import { factTime, isLate } from './fact-time.js';

const HOUR_MS = 3_600_000;

it.each([
  ['settlementbus.statement.published.v1', '2026-03-20T17:00:05+08:00', '2026-03-20T09:00:05.000Z'],
  ['settlementbus.margin.breached.v1', '2026-03-02T10:15:30.250+08:00', '2026-03-02T02:15:30.250Z'],
  ['settlementbus.market.unreachable.v1', '2026-03-02T10:25:00.000+08:00', '2026-03-02T02:25:00.000Z'],
  // Only a date: the end of that day in Perth.
  ['settlementbus.payment.due.v1', '2026-03-21T00:00:00+08:00', '2026-03-21T16:00:00.000Z'],
  ['settlementbus.invoice.issued.v1', '2026-03-21T00:00:00+08:00', '2026-03-21T16:00:00.000Z'],
] as const)('a fact of %s was published by', (type, time, expected) => {
  expect(new Date(factTime({ type, time }).publishedBy).toISOString()).toBe(expected);
});

it.each([
  [
    'a statement within the limit',
    'settlementbus.statement.published.v1',
    '2026-03-21T12:00:00+08:00',
    false,
  ],
  ['a statement after the limit', 'settlementbus.statement.published.v1', '2026-03-21T11:59:59+08:00', true],
  ['an invoice of this day', 'settlementbus.invoice.issued.v1', '2026-03-21T00:00:00+08:00', false],
  ['an invoice of the day before', 'settlementbus.invoice.issued.v1', '2026-03-20T00:00:00+08:00', true],
  ['a margin without a valid time', 'settlementbus.margin.breached.v1', '2026-02-31T25:00:00+08:00', false],
] as const)('%s: late or not', (_, type, time, expected) => {
  expect(isLate(factTime({ type, time }), new Date('2026-03-21T13:00:00+08:00'), HOUR_MS)).toBe(expected);
});
