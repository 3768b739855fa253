import { pauseAfterFailure } from './poll-failures.js';

describe('pauseAfterFailure', () => {
  it.each<[string, number, number, number, number]>([
    ['the first failure', 0, 1, 1, 0],
    ['the second failure', 0, 2, 1, 15_000],
    ['the third failure', 0, 3, 1, 30_000],
    ['the fourth failure', 0, 4, 1, 60_000],
    ['the hundredth failure: the maximum', 0, 100, 1, 105_000],
    ['the third failure, with the least jitter', 0, 3, 0, 15_000],
    ['a Retry-After of seven seconds', 7_000, 4, 1, 7_000],
    ['a Retry-After of an hour', 3_600_000, 1, 1, 3_600_000],
    ['a Retry-After of a year: an hour', 31_536_000_000, 1, 1, 3_600_000],
  ])('after %s', (_, retryAfterMs, consecutiveFailures, random, expected) => {
    expect(pauseAfterFailure({ retryAfterMs, consecutiveFailures, random, intervalMs: 15_000 })).toBe(
      expected,
    );
  });
});
