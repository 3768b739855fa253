import { backoffDelayMs, type Backoff } from '@ssb/resilience';

/** What became of one attempt to hand an alert to a sink. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly status?: number }
  /** The sink answered, but not with 2xx. Redirects are not followed, so a 3xx ends here. */
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs?: number }
  /** No whole answer: refused connection, name not found, broken off, too large. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  | { readonly kind: 'timeout' };

/**
 * `soon`: the sink may be back at any moment: from the base wait up to the cap, doubling.
 * `slow`: only a person can mend it (address gone, signature refused, moved), so every wait is about the cap.
 */
export type RetryPace = 'soon' | 'slow';

/**
 * No answer makes the subscriber give an alert up (a margin breach is never dropped); the answer decides the pace only.
 * 410 Gone asks a sender to switch the address off: here the rows are kept for the operator, who takes the sink out of the
 * configuration or mends it.
 */
const PACE_OF_STATUS: Readonly<Record<number, RetryPace>> = {
  408: 'soon',
  409: 'soon',
  423: 'soon',
  425: 'soon',
  429: 'soon',
};

/** A sink may ask for a longer wait than our cap, but not for one in which a breach would grow cold. */
const LONGEST_RETRY_AFTER_MS = 600_000;

export function paceOf(outcome: Exclude<DeliveryOutcome, { kind: 'delivered' }>): RetryPace {
  if (outcome.kind !== 'answered') return 'soon';
  return PACE_OF_STATUS[outcome.status] ?? (outcome.status >= 500 ? 'soon' : 'slow');
}

/**
 * When to try again after a failed attempt.
 * @param attempt how many attempts have failed, from 1
 * @param random from 0 to 1
 * @returns milliseconds from now
 */
export function retryDelayMs(
  outcome: Exclude<DeliveryOutcome, { kind: 'delivered' }>,
  attempt: number,
  backoff: Backoff,
  random: number,
): number {
  const paced = paceOf(outcome) === 'slow' ? { ...backoff, baseMs: backoff.maxMs } : backoff;
  const asked = outcome.kind === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
  return Math.max(backoffDelayMs(attempt, paced, random), Math.min(asked, LONGEST_RETRY_AFTER_MS));
}

/** An outcome in a few words, for the log and the outbox row. */
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
