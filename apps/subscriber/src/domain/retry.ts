export interface BackoffTerms {
  /** Longest wait before the second attempt, milliseconds. */
  readonly baseMs: number;
  /** No wait is longer than this, milliseconds. */
  readonly capMs: number;
}

/**
 * How long to wait after a failed attempt: doubles each time up to the cap; half of it is jitter, so that many waiters spread.
 * @param attempt how many attempts have failed, from 1
 * @param random from 0 to 1
 * @returns whole milliseconds
 */
export function backoffMs(attempt: number, { baseMs, capMs }: BackoffTerms, random: number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}
