import { backoffDelayMs, retry } from '@ssb/net';
import type { ErrorKind } from '../error-body.js';
import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from './gateway-errors.js';

/** Number of attempts and delay between them. */
export interface GatewayRetryOptions {
  /** Maximum number of attempts, the first included. */
  readonly attempts: number;
  /** Maximum delay before one attempt, milliseconds. A longer `Retry-After` ends the attempts. */
  readonly maxDelayMs: number;
}

/**
 * Whether a retry can help. `if-repeatable`: the gateway may have processed the request, so only an idempotent one is
 * retried.
 */
export type RetryDecision = 'always' | 'if-repeatable' | 'never';

/** By the kind of the error code, for any prefix (document 002, "Errors"). */
const DECISION_BY_KIND: Readonly<Record<ErrorKind, RetryDecision>> = {
  INVALID_PRIVATE_KEY: 'never',
  NO_PRIVATE_KEY: 'never',
  FETCH_CLAIMS_FAILED: 'if-repeatable',
  CHANNEL_UNAUTHORIZED: 'never',
  LOGIN_FAILED: 'never',
  FORBIDDEN_RESOURCE: 'never',
  FORBIDDEN: 'never',
  CHANNEL_NOT_FOUND: 'never',
  REQUEST_FAILED: 'if-repeatable',
  UNHEALTHY: 'if-repeatable',
  CHECK_FAILED: 'never',
  NO_MATCH: 'never',
  MESSAGE_REJECTED: 'never',
  NOT_ENROLED: 'never',
  NO_BALANCE: 'never',
  TOPIC_UNAUTHORIZED: 'never',
  INVALID_PAYLOAD: 'never',
  MESSAGE_TOO_LARGE: 'never',
  SCHEMA_MISMATCH: 'never',
  INVALID_SIGNATURE: 'never',
  INVALID_SCHEMA: 'never',
  CHANNEL_EXISTS: 'never',
  STALE_DECISION: 'never',
  TOO_MANY_REQUESTS: 'always',
  INVALID_REQUEST: 'never',
  UNAUTHENTICATED: 'never',
  NOT_FOUND: 'never',
  METHOD_NOT_ALLOWED: 'never',
  TOO_LARGE: 'never',
  UNSUPPORTED_MEDIA_TYPE: 'never',
  SUPERSEDED: 'never',
  TOO_SLOW: 'always',
  INTERNAL: 'if-repeatable',
};

const BASE_DELAY_MS = 200;

/** The decision for an error of the gateway client; `never` for any other error. */
export function decideRetry(error: unknown): RetryDecision {
  if (error instanceof GatewayUnreachableError) return 'if-repeatable';
  if (error instanceof InvalidGatewayResponseError) return decideByStatus(error.status);
  if (!(error instanceof GatewayError)) return 'never';
  return error.kind === undefined ? decideByStatus(error.status) : DECISION_BY_KIND[error.kind];
}

/** Decides for the response of a proxy, or an unknown code. */
function decideByStatus(status: number): RetryDecision {
  if (status === 429) return 'always';
  return status >= 500 ? 'if-repeatable' : 'never';
}

/**
 * Milliseconds until the next attempt; undefined when there is none.
 * @param failed number of failed attempts, from 1
 * @param repeatable whether the work is idempotent
 * @param random from 0 to 1
 */
export function retryDelayMs(
  error: unknown,
  failed: number,
  { attempts, maxDelayMs, repeatable, random }: GatewayRetryOptions & { repeatable: boolean; random: number },
): number | undefined {
  if (failed >= attempts) return undefined;
  const decision = decideRetry(error);
  if (decision === 'never' || (decision === 'if-repeatable' && !repeatable)) return undefined;
  const requestedMs = error instanceof GatewayError ? (error.retryAfterMs ?? 0) : 0;
  if (requestedMs > maxDelayMs) return undefined;
  return Math.max(requestedMs, backoffDelayMs(failed, { baseMs: BASE_DELAY_MS, maxMs: maxDelayMs }, random));
}

/** Repeats the work until it succeeds or `retryDelayMs` gives no delay. `signal` ends a delay and the attempts. */
export function withRetries<T>(
  options: GatewayRetryOptions & { readonly repeatable: boolean; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const delayMs = (error: unknown, failed: number) =>
    retryDelayMs(error, failed, { ...options, random: Math.random() });
  return retry(work, { delayMs, signal: options.signal });
}
