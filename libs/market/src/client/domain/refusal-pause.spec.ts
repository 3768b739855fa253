import { refusalPause } from './refusal-pause.js';

describe('the pause after a refusal', () => {
  it.each([
    [1, 5_000],
    [2, 10_000],
    [3, 20_000],
    [4, 40_000],
    [5, 60_000],
    [1_000_000, 60_000],
  ])('after %i in a row is %i ms', (inARow, expected) => {
    expect(refusalPause(inARow)).toBe(expected);
  });
});
