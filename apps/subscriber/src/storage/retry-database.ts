import { backoffDelayMs, retry, type Backoff } from '@ssb/resilience';
import { LeaseLostError } from '../replica/reader-lease.js';

/** The replica stopped before the operation succeeded; the next lease holder repeats the work. */
export class OperationStoppedError extends Error {
  override readonly name = 'OperationStoppedError';

  constructor(
    readonly attempts: number,
    cause: unknown,
  ) {
    super(`Stopped after ${attempts} failed attempts to access the database`, { cause });
  }
}

const BACKOFF: Backoff = { baseMs: 100, maxMs: 10_000 };

/**
 * Repeats a read or write with backoff until the database completes it.
 * @param operation must be idempotent
 * @param onFailure called after each failure, with the delay before the next attempt
 * @throws OperationStoppedError when `signal` is aborted after a failure; LeaseLostError, which is not retried
 */
export async function retryDatabase<T>(
  operation: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: unknown, attempt: number, waitMs: number) => void,
): Promise<T> {
  let attempts = 0;
  const delayMs = (error: unknown, failed: number): number | undefined => {
    if (error instanceof LeaseLostError) return undefined;
    const waitMs = backoffDelayMs(failed, BACKOFF, Math.random());
    onFailure(error, failed, waitMs);
    return waitMs;
  };
  try {
    return await retry(
      () => {
        attempts += 1;
        return operation();
      },
      { delayMs, signal },
    );
  } catch (error) {
    throw error instanceof LeaseLostError ? error : new OperationStoppedError(attempts, error);
  }
}
