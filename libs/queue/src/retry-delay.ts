const BASE_MS = 500;
const CAP_MS = 30_000;

/**
 * How long to wait before the next attempt: exponential backoff with full jitter, so that a crowd of events that failed together does
 * not come back together.
 *
 * @param attempt attempts made so far, from 1
 * @param random a number from 0 (included) to 1 (excluded)
 * @returns milliseconds, from 1 to 30,000
 */
export function retryDelay(attempt: number, random: number): number {
  // Past the cap the exponent no longer matters, and without a bound it would overflow after a long outage.
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(Math.max(attempt, 1) - 1, 16));
  return Math.max(1, Math.floor(ceiling * random));
}
