import { backoffDelayMs, retry, type Backoff } from '@ssb/resilience';
import { LeaseLostError } from '../replica/reader-lease.js';

/** The work was stopped, or its lease lost, before the database took the write: it is done again by the next holder. */
export class StoppedBeforeStoredError extends Error {
  override readonly name = 'StoppedBeforeStoredError';

  constructor(
    readonly attempts: number,
    cause: unknown,
  ) {
    super(`stopped after ${attempts} failed attempts to write`, { cause });
  }
}

const BACKOFF: Backoff = { baseMs: 100, maxMs: 10_000 };

/**
 * Repeats a write until the database takes it, with backoff.
 * @param write must be harmless when repeated
 * @param onFailure called for each failure, with the wait before the next attempt
 * @throws StoppedBeforeStoredError when `signal` is aborted after a failure; LeaseLostError at once
 */
export async function untilStored<T>(
  write: () => Promise<T>,
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
        return write();
      },
      { delayMs, signal },
    );
  } catch (error) {
    throw error instanceof LeaseLostError ? error : new StoppedBeforeStoredError(attempts, error);
  }
}
