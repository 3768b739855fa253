import { backoffDelayMs, type Backoff } from '@ssb/resilience';
import type { DeliveryOutcome } from '@ssb/webhook';

export type FailedOutcome = Exclude<DeliveryOutcome, { kind: 'delivered' }>;

/**
 * `transient`: the sink may recover by itself, so the delay grows from the base to the cap.
 * `needs-operator`: only an operator can fix it (address, signature), so every delay is about the cap.
 */
export type FailureClass = 'transient' | 'needs-operator';

/** Statuses below 500 after which the sink may accept the same request. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 423, 425, 429]);

/** A sink's `Retry-After` may exceed the cap, up to this limit: a breach must be delivered in time. */
const MAX_RETRY_AFTER_MS = 600_000;

/** An alert is retried indefinitely, even after 410 Gone, until the operator fixes or removes the sink. The class decides only the delay. */
export function classifyFailure(outcome: FailedOutcome): FailureClass {
  if (outcome.kind !== 'rejected' || outcome.status >= 500) return 'transient';
  return TRANSIENT_STATUSES.has(outcome.status) ? 'transient' : 'needs-operator';
}

/**
 * The delay before the next attempt.
 * @param attempt number of failed attempts, from 1
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function retryDelayMs(
  outcome: FailedOutcome,
  attempt: number,
  backoff: Backoff,
  random: number,
): number {
  const needsOperator = classifyFailure(outcome) === 'needs-operator';
  const effective = needsOperator ? { ...backoff, baseMs: backoff.maxMs } : backoff;
  const retryAfterMs = outcome.kind === 'rejected' ? (outcome.retryAfterMs ?? 0) : 0;
  return Math.max(backoffDelayMs(attempt, effective, random), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** A short text for the log and the outbox. */
export function describeOutcome(outcome: DeliveryOutcome): string {
  switch (outcome.kind) {
    case 'delivered':
      return outcome.status === undefined ? 'delivered' : `delivered, status ${outcome.status}`;
    case 'rejected':
      return `rejected with status ${outcome.status}`;
    case 'unreachable':
      return `unreachable: ${outcome.detail}`;
    case 'timeout':
      return 'no answer in time';
    case 'network-not-allowed':
      return 'not sent: its address is not in WEBHOOK_ALLOWED_NETWORKS';
    default:
      return outcome satisfies never;
  }
}
