import { toMilliseconds, toNanoseconds } from '../../domain/nanoseconds.js';

/** Up to where a channel was read. */
export interface Watermark {
  /** Time of the last message that was read, nanoseconds by the clock of the bus; 0 before the first one. */
  readonly readUpToNanos: bigint;
  /** Everything that the bus stored before this time was read. */
  readonly completeUntil: Date;
  /** The end of the last gap that the gateway left, nanoseconds. */
  readonly gapEndNanos: bigint;
}

/** The clocks of the bus's servers may differ by this much, so a later message can have an earlier time. As CLOCK_OFFSET_LIMIT_MS. */
const OVERLAP_MS = 30_000;
/** The ids of heartbeats are deleted after two days; a message that was read long before is not received again. */
const MIN_AGE_OF_READ_MS = 24 * 3_600_000;
/** No bus is expected to remove messages earlier. */
const MIN_RETENTION_MS = 3_600_000;
/** A watermark of which only the time has changed is written at this interval. */
const WRITE_INTERVAL_MS = 60_000;

/** The largest time that is not in the future, as far as the clocks may differ. */
export const maxPresentMs = (now: number): number => now + OVERLAP_MS;

/**
 * Where a catch-up begins, epoch milliseconds. Without a watermark it is the beginning of the channel. A time in the future never counts,
 * because messages that come later have smaller ones.
 */
export function startOf(watermark: Watermark | undefined, now: Date): number {
  if (watermark === undefined) return 0;
  const { readUpToNanos, completeUntil, gapEndNanos } = watermark;
  const readUpToMs = Math.min(toMilliseconds(readUpToNanos), completeUntil.getTime(), now.getTime());
  return Math.max(0, readUpToMs - OVERLAP_MS, Math.min(toMilliseconds(gapEndNanos), now.getTime()));
}

/**
 * Whether a read from the watermark on must return the last message again, as far as the bus keeps messages for this long. A response
 * without it does not show that nothing followed.
 */
export function expectsLastMessage(watermark: Watermark | undefined, now: Date): boolean {
  if (watermark === undefined || watermark.readUpToNanos === 0n) return false;
  const { readUpToNanos, gapEndNanos } = watermark;
  return readUpToNanos > gapEndNanos && now.getTime() - toMilliseconds(readUpToNanos) < MIN_RETENTION_MS;
}

/** Whether a catch-up that began a day after the message has read it. */
export function wasReadLongAgo(timestampNanos: bigint, watermark: Watermark | undefined): boolean {
  if (watermark === undefined || timestampNanos > watermark.readUpToNanos) return false;
  return toMilliseconds(timestampNanos) < watermark.completeUntil.getTime() - MIN_AGE_OF_READ_MS;
}

/**
 * The watermark after a page whose last message has this time.
 * @param startedAt of the catch-up
 */
export function advance(
  watermark: Watermark | undefined,
  lastNanos: bigint,
  startedAt: Date,
  now: Date,
): Watermark | undefined {
  if (toMilliseconds(lastNanos) > maxPresentMs(now.getTime())) return watermark;
  const at = new Date(Math.min(toMilliseconds(lastNanos), startedAt.getTime()));
  if (watermark === undefined) return { readUpToNanos: lastNanos, completeUntil: at, gapEndNanos: 0n };
  const { readUpToNanos, completeUntil } = watermark;
  return {
    ...watermark,
    readUpToNanos: lastNanos > readUpToNanos ? lastNanos : readUpToNanos,
    completeUntil: at > completeUntil ? at : completeUntil,
  };
}

/** The watermark after a catch-up that read the channel up to its end. */
export function complete(watermark: Watermark | undefined, startedAt: Date): Watermark {
  if (watermark === undefined) return { readUpToNanos: 0n, completeUntil: startedAt, gapEndNanos: 0n };
  const { completeUntil } = watermark;
  return { ...watermark, completeUntil: startedAt > completeUntil ? startedAt : completeUntil };
}

/**
 * Whether the bus may have removed messages before they were read.
 * @param retentionNanos how long the channel keeps messages; undefined or 0: unknown
 */
export function mayHaveLost(completeUntil: Date, retentionNanos: number | undefined, now: Date): boolean {
  if (retentionNanos === undefined || retentionNanos <= 0) return false;
  return now.getTime() - completeUntil.getTime() > retentionNanos / 1e6;
}

/** The watermark after a gap. @param endMs epoch milliseconds */
export function endGap(watermark: Watermark | undefined, endMs: number): Watermark {
  const gapEndNanos = toNanoseconds(endMs);
  return { readUpToNanos: 0n, completeUntil: new Date(0), ...watermark, gapEndNanos };
}

/** Whether a watermark differs so much from the stored one that it has to be written. */
export function hasMoved(next: Watermark, stored: Watermark | undefined): boolean {
  if (stored === undefined) return true;
  const { readUpToNanos, gapEndNanos, completeUntil } = next;
  if (readUpToNanos !== stored.readUpToNanos || gapEndNanos !== stored.gapEndNanos) return true;
  return completeUntil.getTime() - stored.completeUntil.getTime() >= WRITE_INTERVAL_MS;
}
