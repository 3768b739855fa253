import { readMoneyFilters } from './money-filters.js';

const TODAY = '2026-12-30';

it.each([
  [{}, { from: '2026-12-30', to: '2027-01-12', days: 14 }],
  [{ days: '30' }, { from: '2026-12-30', to: '2027-01-28', days: 30 }],
  [{ days: '-30' }, { from: '2026-11-30', to: '2026-12-29', days: -30 }],
  [{ days: '15' }, { from: '2026-12-30', to: '2027-01-12', days: 14 }],
  [
    { from: '2026-09-01', to: '2026-09-30', days: '30' },
    { from: '2026-09-01', to: '2026-09-30' },
  ],
  [{ from: '2026-09-01' }, { from: '2026-09-01', to: '2026-09-14' }],
  [{ from: '2026-02-30' }, { from: '2026-12-30', to: '2027-01-12', days: 14 }],
  [
    { market: 'WEM', participant: 'ALPHA', day: '2026-12-31' },
    {
      from: '2026-12-30',
      to: '2027-01-12',
      days: 14,
      market: 'WEM',
      participant: 'ALPHA',
      openDay: '2026-12-31',
    },
  ],
  [
    { market: 'GAS', participant: '', day: 'x' },
    { from: '2026-12-30', to: '2027-01-12', days: 14 },
  ],
])('reads %j', (search, filters) => {
  expect(readMoneyFilters(search, TODAY)).toMatchObject(filters);
});

it('chooses no number of days beside a day, and no market and open day that do not exist', () => {
  expect(readMoneyFilters({ from: '2026-09-01', days: '30' }, TODAY).days).toBeUndefined();
  const { market, openDay, participant, faults } = readMoneyFilters(
    { market: 'GAS', participant: '', day: 'x', days: '15' },
    TODAY,
  );
  expect([market, openDay, participant]).toEqual([undefined, undefined, undefined]);
  expect(faults).toEqual([
    'The number of days “15” does not exist and is ignored. Allowed: 14, 30, 60, -30, -90.',
    'The market “GAS” does not exist and is ignored. Allowed: WEM, NSTEM, STEM.',
    'The open day “x” is not a time and is ignored. Give a day such as 2026-11-30.',
  ]);
});

it('reads the day of the market of a time', () => {
  const { from, to, faults } = readMoneyFilters({ from: '2026-08-31T20:00:00Z', to: '2026-09-30' }, TODAY);
  expect([from, to, faults]).toEqual(['2026-09-01', '2026-09-30', []]);
});
