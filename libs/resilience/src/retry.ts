import { setTimeout as delay } from 'node:timers/promises';

export interface RetryOptions {
  /**
   * Milliseconds to wait after a failure; undefined ends the attempts.
   * @param failed attempts that have failed so far, this one included
   */
  readonly delayMs: (error: unknown, failed: number) => number | undefined;
  /** Ends the attempts at the next failure, or during a wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats the work until it succeeds.
 * @throws the last failure when `delayMs` or the signal ends the attempts
 */
export async function retry<T>(work: () => Promise<T>, { delayMs, signal }: RetryOptions): Promise<T> {
  for (let failed = 1; ; failed += 1) {
    try {
      return await work();
    } catch (error) {
      const waitMs = signal?.aborted ? undefined : delayMs(error, failed);
      if (waitMs === undefined) throw error;
      const waited = await delay(waitMs, true, signal && { signal }).catch(() => false);
      if (!waited) throw error;
    }
  }
}
