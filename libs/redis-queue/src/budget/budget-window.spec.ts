import { assertValidWindows, InvalidBudgetError } from './budget-window.js';

describe('assertValidWindows', () => {
  it.each([
    [0, 1],
    [1, 0],
    [-1, 1],
    [1.5, 1],
    [1, Number.NaN],
    [Infinity, 1],
  ])('refuses %d requests in %d ms', (requests, ms) => {
    expect(() =>
      assertValidWindows([
        { requests: 3, ms: 1_000 },
        { requests, ms },
      ]),
    ).toThrow(InvalidBudgetError);
  });
});
