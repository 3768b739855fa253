import type { LogFields, Logger } from '@ssb/platform';
import type { Backoff } from '@ssb/resilience';
import { describeOutcome, paceOf, retryDelayMs, type DeliveryOutcome } from '../domain/delivery-policy.js';
import type { AttemptOutcome, PendingAlert } from '../storage/alert-outbox.js';
import type { AlertSink } from './alert-sink.js';

/** Makes one attempt and returns the outcome to be recorded. */
export type Attempt = (sink: AlertSink, alert: PendingAlert, signal: AbortSignal) => Promise<AttemptOutcome>;

export interface AttemptDependencies {
  readonly log: Logger;
  readonly backoff: Backoff;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onOutcome: (sink: string, outcome: DeliveryOutcome) => void;
}

/** One attempt: deliver the alert to the sink, log the outcome, decide when to try again. */
export function createAttempt({ log, backoff, now, random, onOutcome }: AttemptDependencies): Attempt {
  return async (sink, alert, signal) => {
    const startedAt = now();
    const outcome = await sink.deliver(alert, signal);
    const at = now();
    const attempts = alert.attempts + 1;
    onOutcome(sink.name, outcome);
    const recorded = {
      eventId: alert.eventId,
      subject: alert.subject,
      attempts,
      outcome: describeOutcome(outcome),
      at,
    };
    if (outcome.kind === 'delivered') {
      const deliveryMs = at.getTime() - startedAt.getTime();
      log.info(
        { step: 'alerted', ...road(alert, at), sink: sink.name, attempt: attempts, deliveryMs },
        'event alerted',
      );
      return { ...recorded, retryAfterMs: undefined };
    }
    const retryAfterMs = retryDelayMs(outcome, attempts, backoff, random());
    const level = paceOf(outcome) === 'slow' ? 'error' : 'warn';
    const { eventId, type: eventType, subject, alert: standsOut } = alert;
    log[level](
      {
        eventId,
        eventType,
        subject,
        alert: standsOut,
        sink: sink.name,
        attempt: attempts,
        outcome: recorded.outcome,
        retryAfterMs,
      },
      'alert attempt failed',
    );
    return { ...recorded, retryAfterMs };
  };
}

function road(alert: PendingAlert, at: Date): LogFields {
  return {
    eventId: alert.eventId,
    eventType: alert.type,
    subject: alert.subject,
    alert: alert.alert,
    signer: alert.signer,
    channel: alert.channel,
    busMessageId: alert.messageId,
    publishedAt: alert.publishedAt,
    detectedAt: alert.detectedAt,
    archivedAt: alert.archivedAt,
    sinceDetectedMs: at.getTime() - Date.parse(alert.detectedAt),
    sinceArchivedMs: at.getTime() - alert.archivedAt.getTime(),
  };
}
