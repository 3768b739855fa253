import { backoffDelayMs } from '@ssb/resilience';

/** During a long outage the market is polled once in eight intervals at least. */
const MAX_SKIPPED_INTERVALS = 7;

/** Longer than this nobody means it (a wrong clock, a date in another year); a margin must not go unwatched for days. */
const LONGEST_OBEYED_MS = 3_600_000;

export interface FailedPoll {
  /** What the server asked for by `Retry-After`, milliseconds; 0 when it asked for nothing. */
  readonly askedForMs: number;
  /** Polls of this kind that the market has failed one after the other, this one included. */
  readonly inARow: number;
  readonly intervalMs: number;
  /** A number from 0 to 1. */
  readonly random: number;
}

/**
 * How long to leave the market alone after it failed a poll: as long as it asks, an hour at most; where it says nothing (most of these
 * servers do not) ever longer and with jitter, from the next interval after the first failure to every eighth.
 *
 * @returns milliseconds; 0 means the next poll comes at its time
 */
export function pauseAfter({ askedForMs, inARow, intervalMs, random }: FailedPoll): number {
  if (askedForMs > 0) return Math.min(askedForMs, LONGEST_OBEYED_MS);
  if (inARow <= 1) return 0;
  return backoffDelayMs(
    inARow - 1,
    { baseMs: intervalMs, maxMs: MAX_SKIPPED_INTERVALS * intervalMs },
    random,
  );
}
