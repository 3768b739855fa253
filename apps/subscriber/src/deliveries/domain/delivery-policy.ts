import { backoffDelayMs, type Backoff, type DeliveryOutcome } from '@ssb/net';

export type FailedOutcome = Exclude<DeliveryOutcome, { kind: 'delivered' }>;

/** Statuses below 500 after which the sink may accept the same request. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 423, 425, 429]);

/** A sink's `Retry-After` may exceed the cap, up to this limit. */
const MAX_RETRY_AFTER_MS = 600_000;
/** An urgent delivery does not wait longer, whatever the sink requests. */
const MAX_URGENT_RETRY_MS = 15_000;

/** Whether the sink refuses this request, so that only a change of the sink makes it accept a repeat: 4xx such as 400, 401 or 410, and 3xx. */
export function isRefusal(outcome: FailedOutcome): boolean {
  if (outcome.kind !== 'rejected') return false;
  return outcome.permanent ?? (outcome.status < 500 && !TRANSIENT_STATUSES.has(outcome.status));
}

/** The verdict on a delivery. `failed`: it stays pending. `refused`: it is parked and does not block later ones. */
export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly retryAfterMs: number }
  | { readonly kind: 'refused' };

export interface AttemptContext {
  /** Number of attempts so far, this one included. */
  readonly attempt: number;
  readonly urgent: boolean;
  readonly backoff: Backoff;
  /** Set when the attempt is a probe of a failing sink: the pause after it. */
  readonly probePauseMs: number | undefined;
  /** From 0 to 1. */
  readonly random: number;
}

export function decideVerdict(outcome: DeliveryOutcome, context: AttemptContext): Verdict {
  const { attempt, urgent, backoff, probePauseMs, random } = context;
  if (outcome.kind === 'delivered') return { kind: 'delivered' };
  if (isRefusal(outcome)) return { kind: 'refused' };
  if (probePauseMs !== undefined) return { kind: 'failed', retryAfterMs: probePauseMs };
  // Only an operator can permit the network.
  const effective = outcome.kind === 'network-not-allowed' ? { ...backoff, baseMs: backoff.maxMs } : backoff;
  const requestedMs = outcome.kind === 'rejected' ? (outcome.retryAfterMs ?? 0) : 0;
  const delayMs = Math.max(
    backoffDelayMs(attempt, effective, random),
    Math.min(requestedMs, MAX_RETRY_AFTER_MS),
  );
  return { kind: 'failed', retryAfterMs: urgent ? Math.min(delayMs, MAX_URGENT_RETRY_MS) : delayMs };
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
      return 'no response in time';
    case 'network-not-allowed':
      return 'not sent: its address is not in WEBHOOK_ALLOWED_NETWORKS';
    default:
      return outcome satisfies never;
  }
}
