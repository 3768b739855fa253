import { isInRange } from './date-range.js';
import type { MarketDateTime } from './market-time.js';

const NOW = new Date('2026-03-02T00:00:00Z');

it.each([
  ['0001-01-01', false],
  ['1900-01-01', false],
  ['1970-01-01', false],
  ['2000-01-01', false],
  ['2001-01-01', true],
  ['2036-12-31', true],
  ['2037-01-01', false],
  ['9999-12-31', false],
])('%s: %s', (day, expected) => {
  expect(isInRange(`${day}T00:00:00` as MarketDateTime, NOW)).toBe(expected);
});
