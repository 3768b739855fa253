import { backoffDelayMs } from '@ssb/net';
import {
  MalformedResponseError,
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
} from './errors.js';

/** The kinds of failure that the retry policy distinguishes. */
export type FailureKind =
  | 'no-response'
  | 'too-large'
  | 'undecodable'
  | 'too-many-requests'
  | 'server-failure'
  | 'unexpected-status'
  | 'refused'
  | 'malformed'
  | 'token-unavailable'
  | 'token-refused'
  | 'other';

/** The base delay of each failure that is retried, milliseconds. */
const RETRY_TABLE: Readonly<Record<FailureKind, { readonly baseDelayMs: number } | 'give-up'>> = {
  'no-response': { baseDelayMs: 500 },
  'too-many-requests': { baseDelayMs: 5_000 },
  'server-failure': { baseDelayMs: 1_000 },
  'token-unavailable': { baseDelayMs: 1_000 },
  // A repeat gets the same response, or needs an operator.
  'too-large': 'give-up',
  undecodable: 'give-up',
  'unexpected-status': 'give-up',
  refused: 'give-up',
  malformed: 'give-up',
  'token-refused': 'give-up',
  // Not an error of the market: an exhausted request budget, or a programming error.
  other: 'give-up',
};

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
 * The delay before the next attempt: at least `Retry-After` and at least the table's delay, which doubles each time.
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
  const row = RETRY_TABLE[failureKind(error)];
  if (row === 'give-up' || failed >= policy.attempts) return undefined;
  const requestedMs = readRetryAfterMs(error);
  if (requestedMs !== undefined && requestedMs > policy.maxDelayMs) return undefined;
  const backoffMs = backoffDelayMs(failed, { baseMs: row.baseDelayMs, maxMs: policy.maxDelayMs }, random);
  const withJitterMs =
    requestedMs === undefined ? 0 : requestedMs + random * Math.min(1_000, requestedMs / 10);
  return Math.min(Math.max(backoffMs, withJitterMs), policy.maxDelayMs);
}

function readRetryAfterMs(error: unknown): number | undefined {
  return error instanceof Error && 'retryAfterMs' in error && typeof error.retryAfterMs === 'number'
    ? error.retryAfterMs
    : undefined;
}

export function failureKind(error: unknown): FailureKind {
  if (error instanceof ReportingUnavailableError)
    return error.status === undefined ? kindOfNoResponse(error.cause) : kindOfStatus(error.status);
  if (error instanceof ReportingForbiddenError) return 'refused';
  if (error instanceof MalformedResponseError) return 'malformed';
  if (error instanceof TokenUnavailableError) return 'token-unavailable';
  if (error instanceof TokenRefusedError) return 'token-refused';
  return 'other';
}

function kindOfNoResponse(cause: unknown): FailureKind {
  const reason = typeof cause === 'object' && cause !== null && 'reason' in cause ? cause.reason : undefined;
  return reason === 'too-large' || reason === 'undecodable' ? reason : 'no-response';
}

function kindOfStatus(status: number): FailureKind {
  if (status === 429) return 'too-many-requests';
  // RFC 9110 §15.5.9: 408 suggests a repeat.
  return status >= 500 || status === 408 ? 'server-failure' : 'unexpected-status';
}
