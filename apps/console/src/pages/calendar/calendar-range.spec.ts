import { laterRange, readRange } from './calendar-range.js';

const TODAY = '2026-12-01';

it('shows thirteen weeks and everything to come by default', () => {
  expect(readRange({}, TODAY)).toEqual({
    market: 'WEM',
    weeks: 13,
    until: undefined,
    since: '2026-09-01',
    faults: [],
  });
});

it('reads the address, and says what it ignores', () => {
  expect(readRange({ market: 'STEM', weeks: '4', until: '2026-10-01' }, TODAY)).toEqual({
    market: 'STEM',
    weeks: 4,
    until: '2026-10-01',
    since: '2026-09-03',
    faults: [],
  });
  const { faults, ...range } = readRange({ market: 'GAS', weeks: '5000', until: '2026-02-31' }, TODAY);
  expect({ ...range, faults: [] }).toEqual(readRange({}, TODAY));
  expect(faults).toEqual([
    'The market “GAS” does not exist and is ignored. Allowed: WEM, STEM, NSTEM.',
    'The number of weeks “5000” does not exist and is ignored. Allowed: 4, 8, 13, 26, 52.',
    'The end of the weeks “2026-02-31” is not a time and is ignored. Give a day such as 2026-11-30.',
  ]);
});

it('returns to today', () => {
  const range = readRange({ weeks: '4', until: '2026-10-01' }, TODAY);
  expect(laterRange(range, TODAY)).toBe('2026-10-29');
  expect(laterRange({ ...range, until: '2026-11-20' }, TODAY)).toBeUndefined();
});
