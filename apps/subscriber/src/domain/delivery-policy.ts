import { backoffDelayMs, type Backoff } from '@ssb/resilience';

/** The result of one attempt to deliver an alert to a sink. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly status?: number }
  /** An answer other than 2xx. Redirects are not followed, so 3xx counts too. */
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs?: number }
  /** No complete answer: connection refused, name not found, aborted. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  | { readonly kind: 'timeout' };

/**
 * `soon`: the sink may recover by itself, so the delay grows from the base to the cap.
 * `slow`: only an operator can fix it (address, signature), so every delay is about the cap.
 */
export type RetryPace = 'soon' | 'slow';

/** An alert is retried without end, also after 410 Gone: the operator fixes or removes the sink. The status decides only the pace. */
const PACE_OF_STATUS: Readonly<Record<number, RetryPace>> = {
  408: 'soon',
  409: 'soon',
  423: 'soon',
  425: 'soon',
  429: 'soon',
};

/** A sink's `Retry-After` may exceed the cap, up to this limit: a breach must be delivered in time. */
const MAX_RETRY_AFTER_MS = 600_000;

export function retryPace(outcome: Exclude<DeliveryOutcome, { kind: 'delivered' }>): RetryPace {
  if (outcome.kind !== 'answered') return 'soon';
  return PACE_OF_STATUS[outcome.status] ?? (outcome.status >= 500 ? 'soon' : 'slow');
}

/**
 * The delay before the next attempt.
 * @param attempt number of failed attempts, from 1
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function retryDelayMs(
  outcome: Exclude<DeliveryOutcome, { kind: 'delivered' }>,
  attempt: number,
  backoff: Backoff,
  random: number,
): number {
  const paced = retryPace(outcome) === 'slow' ? { ...backoff, baseMs: backoff.maxMs } : backoff;
  const retryAfterMs = outcome.kind === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
  return Math.max(backoffDelayMs(attempt, paced, random), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** A short text for the log and the outbox. */
export function describeOutcome(outcome: DeliveryOutcome): string {
  switch (outcome.kind) {
    case 'delivered':
      return outcome.status === undefined ? 'delivered' : `delivered, status ${outcome.status}`;
    case 'answered':
      return `answered with status ${outcome.status}`;
    case 'unreachable':
      return `unreachable: ${outcome.detail}`;
    case 'timeout':
      return 'no answer in time';
    default:
      return outcome satisfies never;
  }
}
