import { setTimeout as pause } from 'node:timers/promises';
import { type RetryPolicy, retryAfter } from './domain/retry-table.js';

/**
 * Does the work, and again as the retry table says.
 * @throws what the last try threw; the signal's reason when it is aborted while waiting
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  policy: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let failed = 1; ; failed += 1) {
    try {
      return await work();
    } catch (error) {
      const waitMs = retryAfter(error, failed, policy, Math.random());
      if (waitMs === undefined) throw error;
      await pause(waitMs, undefined, signal && { signal }).catch((ended: unknown) => {
        signal?.throwIfAborted();
        throw ended;
      });
    }
  }
}
