import type { CalendarRow } from '../../api/operations.js';
import { compareDesignations, foldCalendar, isBeforeRange } from './calendar-grid.js';

const run = (periodFrom: string, designation: string, more: Partial<CalendarRow> = {}): CalendarRow => ({
  participant: 'WPGENCO',
  market: 'WEM',
  periodFrom,
  designation,
  id: `${periodFrom}-${designation}`,
  status: 'published',
  date: periodFrom,
  revisions: 0,
  discrepancies: 0,
  currency: 'AUD',
  ...more,
});

it('has a row for each period, the newest first, and a column for each designation', () => {
  const { designations, periods } = foldCalendar([
    run('2026-09-06', 'ADJ1'),
    run('2026-09-13', 'INITIAL', { period: 'TW 13 SEP 2026', periodTo: '2026-09-19' }),
    run('2026-09-06', 'INITIAL'),
  ]);
  expect(designations).toEqual(['INITIAL', 'ADJ1']);
  expect(periods.map(({ name, to, runs }) => [name, to, [...runs.keys()]])).toEqual([
    ['TW 13 SEP 2026', '2026-09-19', ['INITIAL']],
    [undefined, undefined, ['ADJ1', 'INITIAL']],
  ]);
});

it('keeps the runs of participants apart', () => {
  const { periods } = foldCalendar([
    run('2026-09-06', 'INITIAL', { participant: 'WPGENCO2' }),
    run('2026-09-06', 'INITIAL'),
  ]);
  expect(periods.map(({ participant }) => participant)).toEqual(['WPGENCO', 'WPGENCO2']);
});

it('sorts designations as they are published', () => {
  expect(['OTHER', 'ADJ10', 'ADJ2', 'INITIAL', 'ADJ1'].sort(compareDesignations)).toEqual([
    'INITIAL',
    'ADJ1',
    'ADJ2',
    'ADJ10',
    'OTHER',
  ]);
});

it('knows which runs are before the days that were read', () => {
  const { designations, periods } = foldCalendar([run('2026-09-13', 'INITIAL'), run('2026-09-06', 'ADJ1')]);
  expect(
    periods.flatMap((period) => designations.map((each) => isBeforeRange(period, each, designations))),
  ).toEqual([false, false, true, false]);
});
