import type { LogFields, Logger } from '@ssb/platform';
import type { Backoff } from '@ssb/net';
import { decideVerdict, describeOutcome } from './domain/delivery-policy.js';
import { startDeliverySpan } from './delivery-span.js';
import { composeBody, describeForSinks, eventsOf } from './messages/compose-body.js';
import type { StoredEvent, StoredVerdict } from '../receiver/domain/verify-stored-event.js';
import type { AttemptResult, PendingDelivery, SentDelivery } from './outbox/pending-delivery.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import type { AlertSink } from './sinks/alert-sink.js';

export interface Attempt {
  readonly result: AttemptResult;
  /** It ended early, so it says nothing about the sink. */
  readonly aborted: boolean;
}

/** Verifies archived events, because the run role of the database can insert forged ones. */
export interface StoredEvents {
  verify(delivery: StoredEvent): StoredVerdict;
  /** Called when an event is not delivered, because it failed verification. @param digestId the digest that has it */
  onUnverified(event: StoredEvent, detail: string, digestId?: string): void;
}

/** Attempts one delivery to one sink, logs the outcome and decides what becomes of the delivery. */
export class Deliverer {
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
    pending: PendingDelivery,
    signal: AbortSignal,
    probePauseMs?: (durationMs: number) => number,
  ): Promise<Attempt> {
    const delivery = describeForSinks(pending);
    for (const event of eventsOf(pending)) {
      const stored = this.storedEvents.verify(event);
      if (!stored.ok) return this.refuseUnverified(sink, delivery, event, stored.detail);
    }
    const body = composeBody(pending);
    if (!body.ok) return this.refuseUnverified(sink, delivery, delivery, body.detail);
    const startedAt = Date.now();
    const span = startDeliverySpan(sink.name, delivery);
    const outcome = await sink.deliver({ ...delivery, text: body.text }, signal, span.headers);
    span[outcome.kind === 'delivered' ? 'succeed' : 'fail'](outcome.kind);
    const at = new Date();
    const durationMs = at.getTime() - startedAt;
    this.metrics.deliveryAttempts.inc({ sink: sink.name, outcome: outcome.kind });
    const isDelivered = outcome.kind === 'delivered';
    const aborted = !isDelivered && signal.aborted;
    if (!aborted) this.metrics.observeAttempt(sink.name, isDelivered, delivery);
    const { eventId, subject, urgent } = delivery;
    const attempts = delivery.attempts + 1;
    const description = describeOutcome(outcome);
    const verdict = decideVerdict(outcome, {
      attempt: attempts,
      urgent,
      backoff: this.backoff,
      probePauseMs: probePauseMs?.(durationMs),
      random: Math.random(),
    });
    const result: AttemptResult = {
      eventId,
      subject,
      attempts,
      outcome: outcome.kind,
      status: 'status' in outcome ? outcome.status : undefined,
      response: 'response' in outcome ? outcome.response : undefined,
      description,
      at,
      durationMs,
      verdict,
    };
    this.logAttempt(sink, delivery, result);
    return { result, aborted };
  }

  /**
   * The delivery is parked, because a changed configuration may accept its event. A digest is parked whole.
   * @param event what failed: an event of the delivery, or the delivery itself
   */
  private refuseUnverified(
    sink: AlertSink,
    delivery: SentDelivery,
    event: StoredEvent,
    detail: string,
  ): Attempt {
    const { eventId, subject, eventIds } = delivery;
    const isOfDigest = eventIds?.includes(event.eventId) === true;
    const attempts = delivery.attempts + 1;
    const description = `not verified: ${isOfDigest ? `${event.eventId}: ` : ''}${detail}`;
    const { type: eventType, channel, messageId } = event;
    const fields = {
      ...(isOfDigest ? { eventId: event.eventId, digestId: eventId } : { eventId }),
      ...{ eventType, subject: event.subject, channel, messageId, sink: sink.name, attempt: attempts },
    };
    this.metrics.deliveryAttempts.inc({ sink: sink.name, outcome: 'unverified' });
    this.log.error({ ...fields, outcome: description }, 'delivery refused');
    this.storedEvents.onUnverified(event, detail, isOfDigest ? eventId : undefined);
    const result: AttemptResult = {
      eventId,
      subject,
      attempts,
      outcome: 'unverified',
      status: undefined,
      response: undefined,
      description,
      at: new Date(),
      durationMs: 0,
      verdict: { kind: 'refused' },
    };
    return { result, aborted: false };
  }

  private logAttempt(
    { name: sink }: AlertSink,
    delivery: SentDelivery,
    { attempts, at, description, durationMs: deliveryMs, verdict }: AttemptResult,
  ): void {
    const { origin, channel, messageId, factTime, detectedAt, archivedAt, marks } = delivery;
    const about = { ...describeDelivery(delivery), sink };
    const failed = { ...about, attempt: attempts, outcome: description };
    switch (verdict.kind) {
      case 'delivered': {
        const fact = { origin, channel, messageId, factTime, detectedAt, archivedAt, marks };
        const sinceDetectedMs = at.getTime() - Date.parse(detectedAt);
        const sinceArchivedMs = at.getTime() - archivedAt.getTime();
        const times = { sinceDetectedMs, sinceArchivedMs, attempt: attempts, deliveryMs };
        this.log.info({ step: 'delivered', ...about, ...fact, ...times }, 'delivery succeeded');
        break;
      }
      case 'refused':
        this.log.error(failed, 'delivery refused');
        break;
      case 'failed':
        this.log.warn({ ...failed, retryAfterMs: verdict.retryAfterMs }, 'delivery failed');
        break;
      default:
        verdict satisfies never;
    }
  }
}

/** What the log says of a delivery: no payload. A sink of kind log has these fields only. */
function describeDelivery(delivery: SentDelivery): LogFields {
  const {
    eventId,
    type: eventType,
    subject,
    participant,
    severity,
    problemId,
    problemState,
    eventIds,
  } = delivery;
  const problem = problemId !== null && { problemId, problemState };
  const about = { eventId, eventType, subject, participant, deliveryKind: delivery.kind, severity };
  return { ...about, ...(eventIds && { eventIds }), ...problem };
}
