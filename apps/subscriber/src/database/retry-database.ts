import { backoffDelayMs, retry, type Backoff } from '@ssb/net';
import { classifyStorageFailure } from './domain/storage-failure.js';
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
 * @param isFinal recognises further errors that are not retried
 * @throws OperationStoppedError when `signal` is aborted after a failure; LeaseLostError and final errors, which are not retried
 */
export async function retryDatabase<T>(
  operation: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: unknown, attempt: number, waitMs: number) => void,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  const isThrown = (error: unknown): boolean => error instanceof LeaseLostError || isFinal(error);
  let attempts = 0;
  const delayMs = (error: unknown, failed: number): number | undefined => {
    if (isThrown(error)) return undefined;
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
    throw isThrown(error) ? error : new OperationStoppedError(attempts, error);
  }
}

/** Class of SQLSTATE of a wrong statement or a missing right. */
const WRONG_STATEMENT = /^42[0-9A-Z]{3}$/;

/** Whether the database refuses the same statement again. */
export function isPermanentRefusal(error: unknown): boolean {
  if (classifyStorageFailure(error) === 'message') return true;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return WRONG_STATEMENT.test(error.code);
}

/** Classes of SQLSTATE whose messages contain no stored values: connection, access, resources, intervention, system. */
const CLASSES_WITHOUT_VALUES = /^(08|25|28|42|53|55|57|58)/;

/** A sentence for readiness, without stored values. */
export function describeDatabaseError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return error.message;
  return CLASSES_WITHOUT_VALUES.test(code) ? `${error.message} (SQLSTATE ${code})` : `SQLSTATE ${code}`;
}
