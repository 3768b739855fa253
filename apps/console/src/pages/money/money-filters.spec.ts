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
  expect(readMoneyFilters(search, TODAY)).toEqual(filters);
});
