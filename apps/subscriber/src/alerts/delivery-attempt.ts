import type { LogFields, Logger } from '@ssb/platform';
import type { Backoff } from '@ssb/resilience';
import { describeOutcome, retryDelayMs, retryPace, type DeliveryOutcome } from '../domain/delivery-policy.js';
import type { AttemptOutcome, PendingAlert } from '../storage/alert-outbox.js';
import type { AlertSink } from './alert-sink.js';

/** Makes one attempt and returns the outcome to record. */
export type DeliveryAttempt = (
  sink: AlertSink,
  alert: PendingAlert,
  signal: AbortSignal,
) => Promise<AttemptOutcome>;

export interface AttemptDependencies {
  readonly log: Logger;
  readonly backoff: Backoff;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onOutcome: (sink: string, outcome: DeliveryOutcome) => void;
}

/** One attempt: deliver the alert to the sink, log the outcome, decide when to retry. */
export function createDeliveryAttempt(dependencies: AttemptDependencies): DeliveryAttempt {
  const { log, backoff, now, random, onOutcome } = dependencies;
  return async (sink, alert, signal) => {
    const startedAt = now();
    const outcome = await sink.deliver(alert, signal);
    const at = now();
    const attempts = alert.attempts + 1;
    onOutcome(sink.name, outcome);
    const { eventId, subject } = alert;
    const recorded = { eventId, subject, attempts, outcome: describeOutcome(outcome), at };
    if (outcome.kind === 'delivered') {
      const deliveryMs = at.getTime() - startedAt.getTime();
      log.info(
        { step: 'alerted', ...eventFields(alert, at), sink: sink.name, attempt: attempts, deliveryMs },
        'alert delivered',
      );
      return { ...recorded, retryAfterMs: undefined };
    }
    const retryAfterMs = retryDelayMs(outcome, attempts, backoff, random());
    const level = retryPace(outcome) === 'slow' ? 'error' : 'warn';
    log[level](
      {
        eventId,
        eventType: alert.type,
        subject,
        alert: alert.alert,
        sink: sink.name,
        attempt: attempts,
        outcome: recorded.outcome,
        retryAfterMs,
      },
      'alert delivery failed',
    );
    return { ...recorded, retryAfterMs };
  };
}

function eventFields(alert: PendingAlert, at: Date): LogFields {
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
