import { RUN, time } from '../../../test/support/settlement.js';
import { estimationsLeftOut, openEstimations } from './estimations-due.js';

const NOW = new Date('2026-03-12T12:00:00+08:00');
const runOf = (from: string, to: string) => ({
  ...RUN,
  marketService: 'NSTEM' as const,
  periodFrom: time(`${from}T00:00:00`),
  periodTo: time(`${to}T00:00:00`),
  statementDate: time('2026-04-20T00:00:00'),
});

it.each([
  ['a month', '2026-02-01', '2026-02-28', ['2026-02-01', '2026-02-28', 28], []],
  ['a period that has not ended', '2026-03-01', '2026-03-31', ['2026-03-01', '2026-03-11', 11], []],
  ['a period that has not begun', '2026-03-12', '2026-04-11', [undefined, undefined, 0], []],
  ['a period of 100 days', '2025-11-01', '2026-02-08', ['2025-11-01', '2026-02-08', 100], []],
  [
    'a period of more than a year: the latest, and the number of the others is reported',
    '2025-01-01',
    '2026-12-31',
    ['2025-03-11', '2026-03-11', 366],
    [
      {
        what: 'trading days of an estimation period',
        count: 69,
        kept: 366,
        range: 'NSTEM|2025-01-01|INITIAL, from 2025-03-11',
      },
    ],
  ],
])('requests the past trading days of %s', (_, from, to, expected, leftOut) => {
  const runs = [runOf(from, to)];
  const days = openEstimations(runs, NOW).map(({ tradingDay }) => tradingDay);
  expect([days[0], days.at(-1), days.length]).toEqual(expected);
  expect(estimationsLeftOut(runs, NOW)).toEqual(leftOut);
});
