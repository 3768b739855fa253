import { setTimeout as delay } from 'node:timers/promises';

/** Delays between repeats, in milliseconds. */
export interface Backoff {
  /** Longest delay before the first repeat. */
  readonly baseMs: number;
  /** Longest delay of all. */
  readonly maxMs: number;
}

/** 2^30 times any base is beyond every maximum; a larger exponent overflows after a long outage. */
const MAX_DOUBLINGS = 30;

/**
 * Exponential backoff: the delay doubles after each failure up to `maxMs`. Half of it is jitter, so that clients do not all repeat at once.
 * @param failures failures in a row, from 1
 * @param random from 0 to 1; 1 gives the delay without jitter
 * @returns whole milliseconds
 */
export function backoffDelayMs(failures: number, { baseMs, maxMs }: Backoff, random: number): number {
  const doublings = Math.min(Math.max(failures, 1) - 1, MAX_DOUBLINGS);
  const ceiling = Math.min(maxMs, baseMs * 2 ** doublings);
  return Math.round(ceiling * (0.5 + random / 2));
}

export interface RetryOptions {
  /**
   * Milliseconds to wait after a failure; undefined ends the attempts.
   * @param failures attempts that have failed so far, this one included
   */
  readonly delayMs: (error: unknown, failures: number) => number | undefined;
  /** Ends the attempts at the next failure, or during a wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats the work until it succeeds.
 * @throws the last failure when `delayMs` or the signal ends the attempts
 */
export async function retry<T>(work: () => Promise<T>, { delayMs, signal }: RetryOptions): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      const waitMs = signal?.aborted ? undefined : delayMs(error, failures);
      if (waitMs === undefined) throw error;
      const isOver = await delay(waitMs, true, signal && { signal }).catch(() => false);
      if (!isOver) throw error;
    }
  }
}
