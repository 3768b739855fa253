import {
  MalformedResponseError,
  NoResponseError,
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
} from '@ssb/market';
import type { MarketInterface } from '@ssb/events';
import { backoffDelayMs } from '@ssb/net';
import { MAX_RETRY_AFTER_MS } from '../faults/throttling.js';

/** The reporting API sent a well-formed response that must not be used. */
export class UnusableResponseError extends Error {
  override readonly name = 'UnusableResponseError';

  constructor(
    readonly subject: string,
    readonly reason: string,
  ) {
    super(`The response for ${subject} is not used: ${reason}`);
  }
}

/** Requests of a poll failed, and none had a response. */
export class FetchesFailedError extends Error {
  override readonly name = 'FetchesFailedError';

  constructor(readonly failures: readonly unknown[]) {
    super(`${failures.length} requests failed, and none had a response`);
  }
}

/** The operator refuses a client certificate that has expired. */
export class ExpiredCertificateError extends Error {
  override readonly name = 'ExpiredCertificateError';
}

/** The app is shutting down. A request that waited for the request budget was not sent. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';

  constructor() {
    super('The poller is shutting down and sends no more requests');
  }
}

/** Whether the reporting API responded, but the response must not be used. */
export function isUnusableResponse(error: unknown): error is Error {
  return (
    error instanceof MalformedResponseError ||
    error instanceof UnusableResponseError ||
    // Document 000 defines no redirection and no other refusal.
    (error instanceof ReportingUnavailableError &&
      error.status !== undefined &&
      isUnexpectedStatus(error.status)) ||
    (error instanceof ReportingUnavailableError && hasUnusableBody(error))
  );
}

/** Whether a server responded with a body that cannot be read. */
export function hasUnusableBody({ cause }: Error): boolean {
  return cause instanceof NoResponseError && UNUSABLE_BODIES.has(cause.reason);
}

const UNUSABLE_BODIES: ReadonlySet<NoResponseError['reason']> = new Set(['too-large', 'undecodable']);

/** 400 also comes from a TLS proxy that refuses a certificate, 408 and 429 ask for a repeat, and nginx sends 495 and 496. */
const REPEATABLE: ReadonlySet<number> = new Set([400, 408, 429, 495, 496]);

function isUnexpectedStatus(status: number): boolean {
  return status < 500 && !REPEATABLE.has(status);
}

/** The failures behind a failed poll: those of its fetches, or the error that ended it. */
export function listFailures(error: unknown): readonly unknown[] {
  return error instanceof FetchesFailedError ? error.failures : [error];
}

/** The longest `Retry-After` among the failures, milliseconds; 0 when none has one. */
export function maxRetryAfterMs(failures: readonly unknown[]): number {
  return Math.max(
    0,
    ...failures.map((failure) =>
      failure instanceof Error && 'retryAfterMs' in failure && typeof failure.retryAfterMs === 'number'
        ? failure.retryAfterMs
        : 0,
    ),
  );
}

/** Whether the operator failed the whole poll or responded 429, so the poller must send less. */
export function isMarketFailure(error: unknown): boolean {
  const failures = listFailures(error);
  return failures.some(isTooManyRequests) || (failures.length > 0 && failures.every(isFailureOfOperator));
}

export function isTooManyRequests(error: unknown): boolean {
  return error instanceof ReportingUnavailableError && error.status === 429;
}

function isFailureOfOperator(error: unknown): boolean {
  return (
    error instanceof ReportingUnavailableError ||
    error instanceof ReportingForbiddenError ||
    error instanceof TokenUnavailableError ||
    error instanceof TokenRefusedError
  );
}

/** During a long outage the market is polled at least once in eight intervals. */
const MAX_SKIPPED_INTERVALS = 7;

export interface FailedPoll {
  readonly kind: MarketInterface;
  /** The `Retry-After` of the server, milliseconds; 0 when it sent none. */
  readonly retryAfterMs: number;
  /** Polls of this kind in a row that the market failed, this one included. */
  readonly consecutiveFailures: number;
  readonly intervalMs: number;
  /** A number from 0 to 1. */
  readonly random: number;
}

/**
 * The pause after a failed poll: the `Retry-After` within its bound, or else exponential backoff with jitter from the second failure on.
 *
 * @returns milliseconds; 0 means that the next poll comes at its usual time
 */
export function pauseAfterFailure(poll: FailedPoll): number {
  const { kind, retryAfterMs, consecutiveFailures, intervalMs, random } = poll;
  if (retryAfterMs > 0) return Math.min(retryAfterMs, MAX_RETRY_AFTER_MS[kind]);
  if (consecutiveFailures <= 1) return 0;
  const maxMs = Math.min(MAX_SKIPPED_INTERVALS * intervalMs, Math.max(MAX_RETRY_AFTER_MS[kind], intervalMs));
  const backoff = { baseMs: intervalMs, maxMs };
  return backoffDelayMs(consecutiveFailures - 1, backoff, random);
}
