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
    ['a Retry-After of a day: five minutes, because margins wait', 86_400_000, 1, 1, 300_000],
  ])('after %s', (_, retryAfterMs, consecutiveFailures, random, expected) => {
    const failed = {
      kind: 'prudential',
      retryAfterMs,
      consecutiveFailures,
      random,
      intervalMs: 15_000,
    } as const;
    expect(pauseAfterFailure(failed)).toBe(expected);
  });

  it('after failures at a long interval is at most five minutes, or one interval', () => {
    const pauses = [120_000, 600_000].map((intervalMs) =>
      pauseAfterFailure({
        kind: 'prudential',
        retryAfterMs: 0,
        consecutiveFailures: 100,
        random: 1,
        intervalMs,
      }),
    );
    expect(pauses).toEqual([300_000, 600_000]);
  });

  it('of the settlement interface is at most an hour', () => {
    const failed = { consecutiveFailures: 1, random: 1, intervalMs: 15_000, retryAfterMs: 86_400_000 };
    expect(pauseAfterFailure({ kind: 'settlement', ...failed })).toBe(3_600_000);
  });
});
