import { addDays, dateOf, parseMarketDate, toInstant, type MarketDate } from '@ssb/market';
import { DEFAULT_SCHEDULE } from './schedule-settings.js';
import { sampleRuns } from '../../../test/support/sample-timeline.js';
import {
  simulateSchedule,
  type SimulatedSchedule,
  type SimulationOptions,
} from '../../../test/support/simulate-schedule.js';

const HOUR_MS = 3_600_000;

/** The default look-back and look-ahead of the timeline. */
const runsOn = (today: MarketDate) => sampleRuns(addDays(today, -60), addDays(today, 60));

/** Everything is published at ten o'clock of its day. */
function simulate(from: string, changes: Partial<SimulationOptions> = {}): SimulatedSchedule {
  return simulateSchedule({
    schedule: { participant: 'PART1', settings: DEFAULT_SCHEDULE },
    runsOn,
    publishedAt: ({ resource, run }) => {
      const date = resource === 'statement' ? run.statementDate : run.invoiceDate;
      return new Date(toInstant(dateOf(date)).getTime() + 10 * HOUR_MS);
    },
    from: parseMarketDate(from),
    days: 2,
    ...changes,
  });
}

it('a quiet day', () => {
  const { counts, delays } = simulate('2026-03-08');
  expect(counts.get(parseMarketDate('2026-03-09'))).toEqual({
    due: 0,
    'long-overdue': 0,
    commenced: 303,
    early: 94,
    recheck: 146,
    timeline: 4,
    all: 547,
    maxPerFiveMinutes: 16,
  });
  expect(delays).toEqual([]);
});

it('a publication day: four statements of WEM and an invoice of STEM', () => {
  const { counts, delays } = simulate('2026-03-04');
  expect(counts.get(parseMarketDate('2026-03-05'))).toEqual({
    due: 6155,
    'long-overdue': 0,
    commenced: 151,
    early: 94,
    recheck: 230,
    timeline: 4,
    all: 6634,
    maxPerFiveMinutes: 60,
  });
  const found = delays.map(
    ({ publication: { resource, run }, reason }) =>
      `${reason}: ${run.marketService} ${run.designation} ${resource}`,
  );
  expect(found.sort()).toEqual([
    'due: STEM INITIAL invoice',
    'due: STEM INITIAL statement',
    'due: WEM ADJ1 statement',
    'due: WEM ADJ2 statement',
    'due: WEM ADJ3 statement',
    'due: WEM INITIAL statement',
  ]);
  expect(Math.max(...delays.map(({ ms }) => ms))).toBeLessThanOrEqual(30_000);
});

/** The initial run of WEM commences on 9 March, and its statement is due on 12 March. */
it.each<[string, string, string, string, number]>([
  ['before its commencement: within a day', '2026-03-08', '2026-03-08T03:00:00', 'early', 24 * HOUR_MS],
  ['before its day: within an hour', '2026-03-09', '2026-03-10T03:00:00', 'commenced', HOUR_MS],
  ['on the seventh day after it: within 30 s', '2026-03-18', '2026-03-19T23:00:00', 'due', 30_000],
  ['on the eighth day after it: within 5 min', '2026-03-19', '2026-03-20T01:00:00', 'long-overdue', 300_000],
])('a statement that is published %s', (_, from, publishedAt, reason, mostMs) => {
  const { delays } = simulate(from, {
    runsOn: (today) => runsOn(today).filter(({ periodFrom }) => periodFrom === '2026-03-01T00:00:00'),
    publishedAt: ({ resource, run: { marketService, designation } }) =>
      marketService === 'WEM' && designation === 'INITIAL' && resource === 'statement'
        ? new Date(`${publishedAt}+08:00`)
        : undefined,
  });
  expect(delays).toEqual([expect.objectContaining({ reason })]);
  expect(delays[0]?.ms).toBeLessThanOrEqual(mostMs);
});
