/** Milliseconds, both. */
export interface Backoff {
  /** Longest delay before the first repeat. */
  readonly baseMs: number;
  /** No delay is longer. */
  readonly maxMs: number;
}

/** 2^30 times any base is beyond every maximum; a larger exponent overflows after a long outage. */
const MAX_DOUBLINGS = 30;

/**
 * Exponential backoff: the delay doubles after each failure up to `maxMs`. Half of it is jitter, so that clients that failed together do
 * not return together.
 * @param failed failures in a row, from 1
 * @param random from 0 to 1; 1 gives the delay without jitter
 * @returns whole milliseconds
 */
export function backoffDelayMs(failed: number, { baseMs, maxMs }: Backoff, random: number): number {
  const doublings = Math.min(Math.max(failed, 1) - 1, MAX_DOUBLINGS);
  const ceiling = Math.min(maxMs, baseMs * 2 ** doublings);
  return Math.round(ceiling * (0.5 + random / 2));
}
