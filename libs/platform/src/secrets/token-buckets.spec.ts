import { TokenBuckets } from './token-buckets.js';

const NOW = 1_000;

function afterTaking(count: number, maxDebt = 0): TokenBuckets {
  const buckets = new TokenBuckets({ capacity: 2, refillMs: 100, maxDebt });
  for (let index = 0; index < count; index += 1) buckets.take('a', NOW);
  return buckets;
}

describe('TokenBuckets', () => {
  it('keep a bucket for each name, which starts full', () => {
    expect([0, 1, 2].map((count) => afterTaking(count).waitFor('a', NOW))).toEqual([0, 0, 100]);
    expect(afterTaking(2).waitFor('b', NOW)).toBe(0);
  });

  it.each([
    [50, 50],
    [100, 0],
    [9e9, 0],
    [-5_000, 100],
  ])('refill over time: after %i ms the wait is %i ms', (later, wait) => {
    expect(afterTaking(2).waitFor('a', NOW + later)).toBe(wait);
  });

  it('never hold more than their capacity', () => {
    const buckets = afterTaking(1);
    for (let index = 0; index < 2; index += 1) buckets.take('a', NOW + 9e9);
    expect(buckets.waitFor('a', NOW + 9e9)).toBe(100);
  });

  it('are in debt up to a limit', () => {
    expect([3, 4, 50].map((count) => afterTaking(count, 2).waitFor('a', NOW))).toEqual([200, 300, 300]);
    const buckets = afterTaking(0, 9);
    buckets.take('a', NOW, 4.5);
    expect(buckets.waitFor('a', NOW)).toBe(350);
  });
});
