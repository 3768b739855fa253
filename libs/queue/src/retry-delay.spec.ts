import { retryDelay } from './retry-delay.js';

describe('retryDelay', () => {
  it.each([
    [1, 0.5, 250],
    [2, 0.5, 500],
    [3, 0.5, 1_000],
    [6, 0.5, 8_000],
    [7, 0.5, 15_000],
    [8, 0.5, 15_000],
    [1_000_000, 0.5, 15_000],
  ])('after attempt %i with jitter %d waits %i ms', (attempt, random, expected) => {
    expect(retryDelay(attempt, random)).toBe(expected);
  });

  it('jitters over the whole range and never beyond the cap', () => {
    expect(retryDelay(20, 0)).toBe(1);
    expect(retryDelay(20, 0.999999)).toBe(29_999);
  });
});
