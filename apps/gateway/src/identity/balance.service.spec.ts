import { toBalanceLevel } from './balance.service.js';

describe('the level of a balance', () => {
  it.each([
    [0n, 'NONE'],
    [9n, 'NONE'],
    [10n, 'LOW'],
    [99n, 'LOW'],
    [100n, 'OK'],
    [2n ** 256n - 1n, 'OK'],
  ])('of %s wei is %s', (wei, level) => {
    expect(toBalanceLevel(wei, { noneBelow: 10n, okFrom: 100n })).toBe(level);
  });
});
