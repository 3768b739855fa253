import { formatGoal, isMet } from './report.js';

describe('a goal', () => {
  it.each([
    [{ atLeast: 3_800 }, 3_799, false],
    [{ atLeast: 3_800 }, 3_800, true],
    [{ atMost: 20 }, 20, true],
    [{ atMost: 20 }, 20.1, false],
    [{ below: 5 }, 5, false],
    [{ below: 5 }, 4.9, true],
    [{ below: 5 }, Number.NaN, false],
    [{ atLeast: 5 }, Number.NaN, false],
  ])('%j with %d is met: %s', (goal, value, met) => {
    expect(isMet(goal, value)).toBe(met);
  });

  it('is shown with its result', () => {
    expect(formatGoal({ atLeast: 3 }, 2, (value) => `${value}/s`)).toBe('≥ 3/s, MISSED');
  });
});
