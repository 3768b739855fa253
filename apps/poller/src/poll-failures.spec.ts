import { pauseAfter } from './domain/pause.js';

describe('pauseAfter', () => {
  it.each<[string, number, number, number, number]>([
    ['the first failure', 0, 1, 1, 0],
    ['the second', 0, 2, 1, 15_000],
    ['the third', 0, 3, 1, 30_000],
    ['the fourth', 0, 4, 1, 60_000],
    ['the hundredth, no longer', 0, 100, 1, 105_000],
    ['the third, by chance early', 0, 3, 0, 15_000],
    ['a server that says when', 7_000, 4, 1, 7_000],
    ['a server that says an hour', 3_600_000, 1, 1, 3_600_000],
    ['a server that says next year', 31_536_000_000, 1, 1, 3_600_000],
  ])('after %s', (_, askedForMs, inARow, random, expected) => {
    expect(pauseAfter({ askedForMs, inARow, random, intervalMs: 15_000 })).toBe(expected);
  });
});
