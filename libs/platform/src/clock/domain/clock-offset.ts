import type { ClockReading } from '@ssb/net';

/** The offset of the local clock lies between these, milliseconds. It is positive when the local clock is ahead. */
export interface OffsetRange {
  /** -Infinity when unknown. */
  readonly min: number;
  readonly max: number;
}

/** `beyond` and `within` are proven. `undecided`: the range contains the limit. */
export type OffsetVerdict = 'within' | 'beyond' | 'undecided';

/** A slower response gives a range that is too wide to be useful. */
export const MAX_ROUND_TRIP_MS = 5_000;

/**
 * The offset that one request and its response prove: the response was created between both local times.
 * @returns undefined when the round trip was too long, or the local clock was set back during it
 */
export function measureOffset({
  requestedAt,
  respondedAt,
  remoteTime,
  resolutionMs,
}: ClockReading): OffsetRange | undefined {
  const roundTripMs = respondedAt - requestedAt;
  if (!(roundTripMs >= 0 && roundTripMs <= MAX_ROUND_TRIP_MS)) return undefined;
  return { min: requestedAt - remoteTime - resolutionMs, max: respondedAt - remoteTime };
}

/** The offset that messages without a request prove. A message arrives after it was created, so only the maximum is known. */
export function boundOffset(shortestDelayMs: number): OffsetRange {
  return { min: -Infinity, max: shortestDelayMs };
}

/** The part that two ranges have in common. Ranges without one mean that a clock was set, so the later range counts. */
export function combineOffsets(earlier: OffsetRange | undefined, later: OffsetRange): OffsetRange {
  if (earlier === undefined) return later;
  const min = Math.max(earlier.min, later.min);
  const max = Math.min(earlier.max, later.max);
  return min <= max ? { min, max } : later;
}

/** The middle of the range. Without a known minimum, its maximum. */
export function estimateOffsetMs({ min, max }: OffsetRange): number {
  return min === -Infinity ? max : (min + max) / 2;
}

/** Compares the whole range with the limit on both sides. Without a known minimum, its maximum decides what is `within`. */
export function compareWithLimit({ min, max }: OffsetRange, limitMs: number): OffsetVerdict {
  if (min > limitMs || max < -limitMs) return 'beyond';
  const knownMin = min === -Infinity ? max : min;
  return knownMin >= -limitMs && max <= limitMs ? 'within' : 'undecided';
}
