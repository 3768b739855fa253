import { median, percentile } from './figures.js';

it.each([
  [[5], 0.99, 5],
  [[1, 2, 3, 4], 0.5, 2],
  [[4, 1, 3, 2], 0.75, 3],
  [Array.from({ length: 100 }, (_, at) => at + 1), 0.99, 99],
])('computes the percentile of %j at %d: %d', (samples, share, expected) => {
  expect(percentile(samples, share)).toBe(expected);
});

it('computes the median, and throws without samples', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(() => median([])).toThrow('no samples');
});
