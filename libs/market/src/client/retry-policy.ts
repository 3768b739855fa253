import { backoffDelayMs, TokenUnavailableError, NoResponseError } from '@ssb/net';
import { ReportingUnavailableError } from './errors.js';

export interface RetryPolicy {
  /** Maximum number of attempts, the first included. */
  readonly attempts: number;
  /** Maximum delay before one attempt, milliseconds. A longer `Retry-After` ends the attempts. */
  readonly maxDelayMs: number;
}

/** Three attempts with at most 30 seconds between them. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, maxDelayMs: 30_000 };

/** For callers that repeat on their own schedule. */
export const NO_RETRY: RetryPolicy = { attempts: 1, maxDelayMs: 0 };

/**
 * The delay before the next attempt: at least `Retry-After` and at least `baseDelayMs`, which doubles each time.
 * Both have jitter, so that clients do not repeat at the same moment.
 * @param failed number of failed attempts, from 1
 * @param random from 0 to 1
 * @returns milliseconds; undefined when the error is final
 */
export function retryDelayMs(
  error: unknown,
  failed: number,
  policy: RetryPolicy,
  random: number,
): number | undefined {
  const baseMs = baseDelayMs(error);
  if (baseMs === undefined || failed >= policy.attempts) return undefined;
  const requestedMs = readRetryAfterMs(error);
  if (requestedMs !== undefined && requestedMs > policy.maxDelayMs) return undefined;
  const backoffMs = backoffDelayMs(failed, { baseMs, maxMs: policy.maxDelayMs }, random);
  const withJitterMs =
    requestedMs === undefined ? 0 : requestedMs + random * Math.min(1_000, requestedMs / 10);
  return Math.min(Math.max(backoffMs, withJitterMs), policy.maxDelayMs);
}

function readRetryAfterMs(error: unknown): number | undefined {
  return error instanceof Error && 'retryAfterMs' in error && typeof error.retryAfterMs === 'number'
    ? error.retryAfterMs
    : undefined;
}

/** Undefined for an error that a repeat does not change: a refusal, a malformed body, an exhausted request budget. */
function baseDelayMs(error: unknown): number | undefined {
  if (error instanceof TokenUnavailableError) return 1_000;
  if (!(error instanceof ReportingUnavailableError)) return undefined;
  const { status, cause } = error;
  if (status === undefined) return isFinalResponse(cause) ? undefined : 500;
  if (status === 429) return 5_000;
  // RFC 9110 §15.5.9: 408 suggests a repeat.
  return status >= 500 || status === 408 ? 1_000 : undefined;
}

function isFinalResponse(cause: unknown): boolean {
  return cause instanceof NoResponseError && (cause.reason === 'too-large' || cause.reason === 'undecodable');
}
