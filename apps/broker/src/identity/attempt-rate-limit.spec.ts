import { AttemptRateLimiter } from './attempt-rate-limit.js';

describe('the budget of attempts', () => {
  it('is spent, and earned again with time, for each address', () => {
    let now = 0;
    const budget = new AttemptRateLimiter(2, () => new Date(now));
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
    const budget = new AttemptRateLimiter(1, () => new Date(now));
    expect(budget.spend('a')).toBe(true);
    now = 3_600_000;
    expect([budget.spend('a'), budget.spend('a')]).toEqual([true, false]);
  });

  it('is one for an IPv6 network, whose holder has 2^64 addresses', () => {
    const budget = new AttemptRateLimiter(1, () => new Date(0));
    expect(['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((each) => budget.spend(each))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('is forgotten for who was silent for longest when there are too many, and for nobody else', () => {
    const budget = new AttemptRateLimiter(1, () => new Date(0));
    expect([budget.spend('first'), budget.spend('second')]).toEqual([true, true]);
    for (let index = 0; index < 9_998; index += 1) budget.spend(`other ${index}`);
    expect(budget.spend('first')).toBe(false);
    budget.spend('one more');
    expect([budget.spend('first'), budget.spend('second')]).toEqual([false, true]);
  });
});
