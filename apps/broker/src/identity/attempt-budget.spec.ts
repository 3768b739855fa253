import { describe, expect, it } from '@jest/globals';
import { AttemptBudget } from './attempt-budget.js';

describe('the budget of attempts', () => {
  it('is spent, and earned again with time, for each address', () => {
    let now = 0;
    const budget = new AttemptBudget(2, () => new Date(now));
    expect([budget.spend('a'), budget.spend('a'), budget.spend('a'), budget.spend('b')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    now = 29_999;
    expect(budget.spend('a')).toBe(false);
    now = 30_001;
    expect([budget.spend('a'), budget.spend('a')]).toEqual([true, false]);
  });

  it('never grows beyond a minute', () => {
    let now = 0;
    const budget = new AttemptBudget(1, () => new Date(now));
    expect(budget.spend('a')).toBe(true);
    now = 3_600_000;
    expect([budget.spend('a'), budget.spend('a')]).toEqual([true, false]);
  });
});
