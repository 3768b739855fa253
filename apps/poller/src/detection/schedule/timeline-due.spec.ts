import { parseMarketDateTime } from '@ssb/market';
import { DEFAULT_SCHEDULE, type Schedule } from './schedule-settings.js';
import { nextTimelineAt, timelineDue } from './timeline-due.js';

const SCHEDULE: Schedule = { participant: 'PART1', settings: DEFAULT_SCHEDULE };
const RUNS = ['2026-03-13T00:00:00', '2026-03-13T00:00:00', '2026-03-20T00:00:00'].map((text) => ({
  invoiceDate: parseMarketDateTime(text),
}));
const at = (marketTime: string): Date => new Date(`${marketTime}+08:00`);

it.each<[string, string | undefined, string, boolean]>([
  ['the first time', undefined, '2026-03-10T00:00:00', true],
  ['after five hours', '2026-03-10T00:00:00', '2026-03-10T05:00:00', false],
  ['after six hours', '2026-03-10T00:00:00', '2026-03-10T06:00:00', true],
  ['at the end of an invoice day', '2026-03-13T23:00:00', '2026-03-13T23:59:59', false],
  ['ten minutes after an invoice day', '2026-03-13T23:00:00', '2026-03-14T00:10:00', true],
  ['ten minutes after a day without invoices', '2026-03-14T23:00:00', '2026-03-15T00:10:00', false],
  ['received since the invoice day', '2026-03-14T00:10:00', '2026-03-14T00:20:00', false],
  ['the clock was set back', '2026-03-14T00:10:00', '2026-03-10T00:00:00', true],
])('the timeline is requested: %s', (_, last, now, expected) => {
  const received = last === undefined ? undefined : at(last);
  expect(timelineDue(received, SCHEDULE, RUNS, at(now))).toBe(expected);
});

it('the next time is the first at which it is due', () => {
  const [last, now] = [at('2026-03-13T23:00:00'), at('2026-03-13T23:30:00')];
  const next = nextTimelineAt(last, SCHEDULE, RUNS, now);
  expect(timelineDue(last, SCHEDULE, RUNS, next)).toBe(true);
  expect(timelineDue(last, SCHEDULE, RUNS, new Date(next.getTime() - 1))).toBe(false);
});
