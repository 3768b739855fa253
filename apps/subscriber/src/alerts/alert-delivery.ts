import { type LogFields, type Logger, isTracing, startSpan, type TraceSpan } from '@ssb/platform';
import type { Backoff } from '@ssb/net';
import { decideVerdict, describeOutcome } from '../domain/delivery-policy.js';
import type { StoredVerdict } from '../domain/verify-stored-event.js';
import type { AttemptResult, PendingAlert } from '../storage/pending-alert.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import type { AlertSink } from './alert-sink.js';

export interface Attempt {
  readonly result: AttemptResult;
  readonly durationMs: number;
  /** It was ended early, so it says nothing about the sink. */
  readonly aborted: boolean;
  /** The archived event failed verification, so the sink was not called. */
  readonly unverified: boolean;
}

/** Verifies archived events, which anybody with the run role of the database can insert. */
export interface StoredEvents {
  verify(alert: PendingAlert): StoredVerdict;
  /** Called when an event is not delivered, because it failed verification. */
  onUnverified(alert: PendingAlert, detail: string): void;
}

/** Delivers one alert to one sink, logs the outcome and decides what becomes of the delivery. */
export class AlertDelivery {
  constructor(
    private readonly backoff: Backoff,
    private readonly storedEvents: StoredEvents,
    private readonly metrics: SubscriberMetrics,
    private readonly log: Logger,
  ) {}

  /**
   * Makes one attempt. Never rejects because of the sink or the network.
   * @param probePauseMs for a probe of a failing sink: returns the pause after it
   */
  async attempt(
    sink: AlertSink,
    alert: PendingAlert,
    signal: AbortSignal,
    probePauseMs?: (durationMs: number) => number,
  ): Promise<Attempt> {
    const stored = this.storedEvents.verify(alert);
    if (!stored.ok) return this.refuseUnverified(sink, alert, stored.detail);
    const startedAt = Date.now();
    const span = startDeliverySpan(sink.name, alert);
    const outcome = await sink.deliver(alert, signal, span.headers);
    span[outcome.kind === 'delivered' ? 'succeed' : 'fail'](outcome.kind);
    const at = new Date();
    const durationMs = at.getTime() - startedAt;
    this.metrics.alertAttempts.inc({ sink: sink.name, outcome: outcome.kind });
    const isDelivered = outcome.kind === 'delivered';
    const aborted = !isDelivered && signal.aborted;
    if (!aborted) this.metrics.observeAttempt(sink.name, isDelivered, alert);
    const { eventId, subject, urgent } = alert;
    const attempts = alert.attempts + 1;
    const description = describeOutcome(outcome);
    const verdict = decideVerdict(outcome, {
      attempt: attempts,
      urgent,
      backoff: this.backoff,
      probePauseMs: probePauseMs?.(durationMs),
      random: Math.random(),
    });
    if (isDelivered) this.logDelivered(sink, alert, attempts, at, durationMs);
    else {
      const fields: LogFields = {
        eventId,
        eventType: alert.type,
        subject,
        alert: alert.alert,
        sink: sink.name,
        attempt: attempts,
        outcome: description,
        ...(verdict.kind === 'failed' && { retryAfterMs: verdict.retryAfterMs }),
      };
      if (verdict.kind === 'refused') this.log.error(fields, 'alert delivery refused');
      else this.log.warn(fields, 'alert delivery failed');
    }
    const result = { eventId, subject, attempts, description, at, verdict };
    return { result, durationMs, aborted, unverified: false };
  }

  /** It is parked: a change of the configuration may make it pass. */
  private refuseUnverified(sink: AlertSink, alert: PendingAlert, detail: string): Attempt {
    const { eventId, type: eventType, subject, channel, messageId } = alert;
    const attempts = alert.attempts + 1;
    const description = `not verified: ${detail}`;
    const fields = { eventId, eventType, subject, channel, messageId, sink: sink.name, attempt: attempts };
    this.metrics.alertAttempts.inc({ sink: sink.name, outcome: 'unverified' });
    this.log.error({ ...fields, outcome: description }, 'alert delivery refused');
    this.storedEvents.onUnverified(alert, detail);
    const verdict = { kind: 'refused' } as const;
    const result = { eventId, subject, attempts, description, at: new Date(), verdict };
    return { result, durationMs: 0, aborted: false, unverified: true };
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
