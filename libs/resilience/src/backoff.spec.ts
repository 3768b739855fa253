import { backoffDelayMs } from './backoff.js';

const BACKOFF = { baseMs: 100, maxMs: 10_000 };

describe('backoffDelayMs', () => {
  it.each([
    [1, 100],
    [2, 200],
    [7, 6_400],
    [8, 10_000],
    [1e9, 10_000],
  ])('after failure %i waits %i ms at most, and half of it at least', (failed, longest) => {
    expect(backoffDelayMs(failed, BACKOFF, 1)).toBe(longest);
    expect(backoffDelayMs(failed, BACKOFF, 0)).toBe(longest / 2);
  });

  it('is never longer than its maximum, not even the first time', () => {
    expect(backoffDelayMs(1, { baseMs: 500, maxMs: 20 }, 1)).toBe(20);
  });
});
