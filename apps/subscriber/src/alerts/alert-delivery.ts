import type { LogFields, Logger } from '@ssb/platform';
import type { Backoff } from '@ssb/resilience';
import { isTracing, startSpan, type TraceSpan } from '@ssb/tracing';
import { classifyFailure, describeOutcome, retryDelayMs } from '../domain/delivery-policy.js';
import type { AttemptResult, PendingAlert } from '../storage/alert-outbox.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import type { AlertSink } from './alert-sink.js';

/** Delivers one alert to one sink, logs the outcome and decides when to retry. */
export class AlertDelivery {
  constructor(
    private readonly backoff: Backoff,
    private readonly metrics: SubscriberMetrics,
    private readonly log: Logger,
  ) {}

  /** Makes one attempt. Never rejects because of the sink or the network. */
  async attempt(sink: AlertSink, alert: PendingAlert, signal: AbortSignal): Promise<AttemptResult> {
    const startedAt = Date.now();
    const span = startDeliverySpan(sink.name, alert);
    const outcome = await sink.deliver(alert, signal, span.headers);
    span[outcome.kind === 'delivered' ? 'succeed' : 'fail'](outcome.kind);
    const at = new Date();
    this.metrics.alertAttempts.inc({ sink: sink.name, outcome: outcome.kind });
    const isDelivered = outcome.kind === 'delivered';
    // An aborted attempt says nothing about the sink.
    if (isDelivered || !signal.aborted) this.metrics.observeAttempt(sink.name, isDelivered, alert);
    const { eventId, subject } = alert;
    const attempts = alert.attempts + 1;
    const description = describeOutcome(outcome);
    if (outcome.kind === 'delivered') {
      this.logDelivered(sink, alert, attempts, at, at.getTime() - startedAt);
      return { eventId, subject, attempts, description, at, retryAfterMs: undefined };
    }
    const retryAfterMs = retryDelayMs(outcome, attempts, this.backoff, Math.random());
    const fields: LogFields = {
      eventId,
      eventType: alert.type,
      subject,
      alert: alert.alert,
      sink: sink.name,
      attempt: attempts,
      outcome: description,
      retryAfterMs,
    };
    if (classifyFailure(outcome) === 'needs-operator') this.log.error(fields, 'alert delivery failed');
    else this.log.warn(fields, 'alert delivery failed');
    return { eventId, subject, attempts, description, at, retryAfterMs };
  }

  private logDelivered(
    sink: AlertSink,
    alert: PendingAlert,
    attempt: number,
    at: Date,
    deliveryMs: number,
  ): void {
    this.log.info(
      {
        step: 'alerted',
        eventId: alert.eventId,
        eventType: alert.type,
        subject: alert.subject,
        alert: alert.alert,
        origin: alert.origin,
        channel: alert.channel,
        messageId: alert.messageId,
        factTime: alert.factTime,
        detectedAt: alert.detectedAt,
        archivedAt: alert.archivedAt,
        marks: alert.marks,
        sinceDetectedMs: at.getTime() - Date.parse(alert.detectedAt),
        sinceArchivedMs: at.getTime() - alert.archivedAt.getTime(),
        sink: sink.name,
        attempt,
        deliveryMs,
      },
      'alert delivered',
    );
  }
}

/** The span of one attempt. Its parent is the detection, as the archived event names it. */
function startDeliverySpan(sink: string, alert: PendingAlert): TraceSpan {
  const { eventId, type: eventType, subject, channel, messageId, attempts } = alert;
  return startSpan('alert deliver', {
    kind: 'client',
    // A large event is not parsed for nothing.
    parent: isTracing() ? readTraceparent(alert.text) : undefined,
    attributes: { eventId, eventType, subject, channel, messageId, sink, attempt: attempts + 1 },
  });
}

function readTraceparent(text: string): unknown {
  try {
    return (JSON.parse(text) as { traceparent?: unknown } | null)?.traceparent;
  } catch {
    return undefined;
  }
}
