import {
  advance,
  complete,
  endGap,
  expectsLastMessage,
  hasMoved,
  mayHaveLost,
  startOf,
  wasReadLongAgo,
  type Watermark,
} from './watermark.js';

const AT = Date.parse('2026-03-02T00:00:00.000Z');
const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n;
const DAY_MS = 86_400_000;
const WATERMARK: Watermark = {
  readUpToNanos: nanos(AT) + 999_999n,
  completeUntil: new Date(AT + 60_000),
  gapEndNanos: 0n,
};

describe('a watermark', () => {
  it('begins before the last message, not before a gap, and at the beginning without one', () => {
    const now = new Date(AT + 120_000);
    expect(startOf(undefined, now)).toBe(0);
    expect(startOf(WATERMARK, now)).toBe(AT - 30_000);
    expect(startOf(endGap(WATERMARK, AT - 5), now)).toBe(AT - 5);
    expect(startOf(complete(undefined, new Date(AT)), now)).toBe(0);
  });

  it('does not follow a time in the future, and begins before the start of the last catch-up', () => {
    const startedAt = new Date(AT + 70_000);
    const now = new Date(AT + 80_000);
    expect(advance(WATERMARK, nanos(AT + 110_001), startedAt, now)).toBe(WATERMARK);
    const ahead = advance(WATERMARK, nanos(AT + 109_000), startedAt, now);
    expect(ahead).toMatchObject({ readUpToNanos: nanos(AT + 109_000), completeUntil: startedAt });
    expect(startOf(ahead, now)).toBe(AT + 40_000);
    const stored = { ...WATERMARK, readUpToNanos: nanos(AT + DAY_MS), completeUntil: new Date(AT + DAY_MS) };
    expect(startOf(stored, now)).toBe(AT + 50_000);
    expect(startOf(endGap(WATERMARK, AT + DAY_MS), now)).toBe(AT + 80_000);
  });

  it('moves with pages and completed catch-ups, never backwards', () => {
    const startedAt = new Date(AT + 100_000);
    const advanceTo = (watermark: Watermark | undefined, ms: number) =>
      advance(watermark, nanos(ms), startedAt, startedAt);
    expect(advanceTo(undefined, AT)).toEqual({
      readUpToNanos: nanos(AT),
      completeUntil: new Date(AT),
      gapEndNanos: 0n,
    });
    expect(advanceTo(WATERMARK, AT - 1)).toEqual(WATERMARK);
    expect(advanceTo(WATERMARK, AT + 90_000)).toMatchObject({ completeUntil: new Date(AT + 90_000) });
    expect(complete(WATERMARK, new Date(AT))).toEqual(WATERMARK);
    expect(complete(WATERMARK, new Date(AT + 61_000)).completeUntil).toEqual(new Date(AT + 61_000));
  });

  it('is written when it moves, and once a minute', () => {
    const later = (ms: number) => complete(WATERMARK, new Date(AT + 60_000 + ms));
    expect(hasMoved(WATERMARK, undefined)).toBe(true);
    expect(hasMoved(later(59_999), WATERMARK)).toBe(false);
    expect(hasMoved(later(60_000), WATERMARK)).toBe(true);
    expect(hasMoved({ ...WATERMARK, readUpToNanos: nanos(AT + 1) }, WATERMARK)).toBe(true);
    expect(hasMoved(endGap(WATERMARK, AT), WATERMARK)).toBe(true);
  });

  it('shows a loss when the channel keeps messages for a shorter time', () => {
    const at = (ms: number) => new Date(AT + 60_000 + ms);
    expect(mayHaveLost(WATERMARK.completeUntil, DAY_MS * 1e6, at(DAY_MS))).toBe(false);
    expect(mayHaveLost(WATERMARK.completeUntil, DAY_MS * 1e6, at(DAY_MS + 1))).toBe(true);
    expect(mayHaveLost(WATERMARK.completeUntil, undefined, at(DAY_MS * 99))).toBe(false);
    expect(mayHaveLost(WATERMARK.completeUntil, 0, at(DAY_MS * 99))).toBe(false);
  });

  it('leaves out messages that were read a day before, whose ids may be deleted', () => {
    const old = { ...WATERMARK, completeUntil: new Date(AT + DAY_MS + 1) };
    expect(wasReadLongAgo(nanos(AT), old)).toBe(true);
    expect(wasReadLongAgo(nanos(AT) + 1_000_000n, old)).toBe(false);
    expect(wasReadLongAgo(nanos(AT), WATERMARK)).toBe(false);
    expect(wasReadLongAgo(nanos(AT), undefined)).toBe(false);
  });
});

it('expects the last message again if it is recent', () => {
  const now = new Date(AT + 120_000);
  expect(expectsLastMessage(undefined, now)).toBe(false);
  expect(expectsLastMessage(complete(undefined, new Date(AT)), now)).toBe(false);
  expect(expectsLastMessage(WATERMARK, now)).toBe(true);
  expect(expectsLastMessage(WATERMARK, new Date(AT + DAY_MS))).toBe(false);
  expect(expectsLastMessage(endGap(WATERMARK, AT + 1), now)).toBe(false);
});
