import { laterRange, readRange } from './calendar-range.js';

const TODAY = '2026-12-01';

it('shows thirteen weeks and everything to come by default', () => {
  expect(readRange({}, TODAY)).toEqual({ market: 'WEM', weeks: 13, until: undefined, since: '2026-09-01' });
});

it('reads the address, and ignores what is not possible', () => {
  expect(readRange({ market: 'STEM', weeks: '4', until: '2026-10-01' }, TODAY)).toEqual({
    market: 'STEM',
    weeks: 4,
    until: '2026-10-01',
    since: '2026-09-03',
  });
  expect(readRange({ market: 'GAS', weeks: '5000', until: 'yesterday' }, TODAY)).toEqual(
    readRange({}, TODAY),
  );
});

it('returns to today', () => {
  const range = readRange({ weeks: '4', until: '2026-10-01' }, TODAY);
  expect(laterRange(range, TODAY)).toBe('2026-10-29');
  expect(laterRange({ ...range, until: '2026-11-20' }, TODAY)).toBeUndefined();
});
