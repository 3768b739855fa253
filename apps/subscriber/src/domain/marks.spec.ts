import { clockMarks, joinMarks } from './marks.js';

describe('clockMarks', () => {
  const signedAtMs = Date.UTC(2026, 2, 2, 0, 0, 0);
  /** 1,772,409,600 seconds: `date -u -d 2026-03-02 +%s`. */
  const signedAtNanos = 1_772_409_600_000_000_000n;

  it.each([
    ['at the same time', 0n, []],
    ['at the maximum skew', -60_000_000_000n, []],
    ['a nanosecond before it', -60_000_000_001n, ['clockSkew']],
    ['at the maximum age', 300_000_000_000n, []],
    ['a nanosecond after it', 300_000_000_001n, ['late']],
  ])('of a message that the bus appended %s', (_, offset, expected) => {
    const limits = { skewMs: 60_000, maxAgeMs: 300_000 };
    expect(clockMarks(signedAtMs, signedAtNanos + offset, limits)).toEqual(expected);
  });
});

it('joinMarks gives each mark once, in a fixed order', () => {
  expect(joinMarks(['clockSkew', 'late'], ['late'])).toEqual(['late', 'clockSkew']);
  expect(joinMarks([], [])).toEqual([]);
});
