import { backoffPause } from './backoff.js';

describe('the pause before another attempt', () => {
  it.each([
    [0, 0, 50],
    [0, 1, 200],
    [1, 1, 400],
    [3, 0, 400],
    [3, 0.5, 1_000],
    [10, 1, 10_000],
    [100_000, 1, 10_000],
  ])('number %p with random %p is %p ms', (attempt, random, expected) => {
    expect(backoffPause(attempt, random)).toBe(expected);
  });

  it('is bounded by what the caller says', () => {
    expect(backoffPause(50, 1, 700)).toBe(700);
  });
});
