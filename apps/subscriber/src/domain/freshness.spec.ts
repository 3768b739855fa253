import { freshness } from './freshness.js';

const TERMS = { skewMs: 60_000, maxAgeMs: 300_000 };
const SIGNED_AT = Date.UTC(2026, 2, 2, 0, 0, 0);
/** 1,772,409,600 seconds: `date -u -d 2026-03-02 +%s`. */
const SIGNED_AT_NANOS = 1_772_409_600_000_000_000n;

describe('freshness', () => {
  it.each([
    ['at once', 0n, 'fresh'],
    ['at the edge of the skew', -60_000_000_000n, 'fresh'],
    ['a nanosecond before it', -60_000_000_001n, 'premature'],
    ['at the edge of the age', 300_000_000_000n, 'fresh'],
    ['a nanosecond after it', 300_000_000_001n, 'stale'],
  ])('a message that the bus took %s', (_, offset, expected) => {
    expect(freshness(SIGNED_AT, SIGNED_AT_NANOS + offset, TERMS)).toBe(expected);
  });
});
