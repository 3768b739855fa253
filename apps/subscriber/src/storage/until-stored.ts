import { setTimeout as pause } from 'node:timers/promises';
import { LeaseLostError } from '../replica/reader-lease.js';
import { backoffMs, type BackoffTerms } from '../domain/retry.js';

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

const TERMS: BackoffTerms = { baseMs: 100, capMs: 10_000 };

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
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      if (signal.aborted) throw new StoppedBeforeStoredError(attempt, error);
      const waitMs = backoffMs(attempt, TERMS, Math.random());
      onFailure(error, attempt, waitMs);
      await pause(waitMs, undefined, { signal }).catch(() => {
        throw new StoppedBeforeStoredError(attempt, error);
      });
    }
  }
}
