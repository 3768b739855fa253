import type { Message } from '@ssb/bus';
import { HEARTBEAT_TYPE } from '@ssb/config';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import type { LogFields, Logger } from '@ssb/platform';
import {
  boundedText,
  toAscii,
  type ArchivedResult,
  type ArchiveEntry,
  type RecordResult,
  type VerifiedEntry,
} from '../archive/archive-entries.js';
import type { PlannedDelivery, ProblemEffect } from '../domain/delivery-kind.js';
import { describeRefusal } from '../database/domain/storage-failure.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';

/** Logs and counts what the storage did with each entry. */
export class ResultLog {
  constructor(
    private readonly metrics: SubscriberMetrics,
    private readonly log: Logger,
  ) {}

  record(entry: ArchiveEntry, result: RecordResult, verifiedAt: Date): void {
    const { log, metrics } = this;
    const { message } = entry;
    switch (result.kind) {
      case 'repeat':
        metrics.repeats.inc({ of: result.of });
        log.debug({ messageId: message.id, channel: message.fqcn, of: result.of }, 'repeat dropped');
        break;
      case 'archived':
        if (entry.kind === 'verified') this.recordArchived(entry, result, verifiedAt);
        metrics.observeVerified(message);
        break;
      case 'quarantined': {
        const { reason, detail } = result;
        metrics.quarantined.inc({ reason });
        log.warn({ step: 'quarantined', reason, detail, ...messageFields(message) }, 'event quarantined');
        break;
      }
      default:
        result satisfies never;
    }
  }

  recordArchived(
    entry: VerifiedEntry,
    { marks, timing, effect, deliveries }: ArchivedResult,
    verifiedAt: Date,
  ): void {
    const { log, metrics } = this;
    metrics.archived.inc({ type: entry.event.type });
    metrics.countWithheld(deliveries);
    if (entry.testHeartbeatAt !== undefined)
      metrics.observeTestHeartbeat(entry.event.participant, entry.message.fqcn, entry.testHeartbeatAt);
    const fields = { ...eventFields(entry), verifiedAt };
    log.debug({ step: 'verified', ...fields, sender: entry.message.sender }, 'event verified');
    const level = entry.event.type === HEARTBEAT_TYPE ? 'debug' : 'info';
    log[level](
      {
        step: 'archived',
        ...fields,
        marks,
        backlog: timing === 'none',
        ...deliveryFields(deliveries),
      },
      'event archived',
    );
    logProblemChange(log, entry, effect);
  }

  /** Reports a message that the database can neither store nor park. */
  reportLost({ message }: ArchiveEntry, error: unknown, faults: Pick<FaultReporter, 'raise'>): void {
    const [channel, messageId] = [toAscii(message.fqcn), toAscii(message.id)];
    const detail = `Message ${messageId} can be neither stored nor parked: ${describeRefusal(error)}.`;
    this.metrics.gaps.inc();
    this.log.error({ channel, messageId, detail }, 'message lost');
    faults.raise({ reason: 'message-not-storable', participant: ALL_PARTICIPANTS, channel, detail });
  }
}

/** @param effect undefined when the event changed no problem */
export function logProblemChange(
  log: Logger,
  { event, problem }: Pick<VerifiedEntry, 'event' | 'problem'>,
  effect: ProblemEffect | undefined,
): void {
  if (effect === undefined) return;
  const { problemId, change, state, severity } = effect;
  log.info(
    { problem: problemId, kind: problem?.kind, change, state, severity, eventId: event.id },
    'problem changed',
  );
}

/** All deliveries of an event have the same kind. */
export function deliveryFields(deliveries: readonly PlannedDelivery[]): LogFields {
  const [first] = deliveries;
  const withheld = deliveries.filter((delivery) => delivery.withheld !== undefined);
  return {
    sinks: deliveries.filter((delivery) => delivery.withheld === undefined).map(({ sink }) => sink),
    ...(withheld.length > 0 && {
      withheld: Object.fromEntries(withheld.map(({ sink, withheld: reason }) => [sink, reason])),
    }),
    ...(first && { deliveryKind: first.kind, severity: first.severity }),
  };
}

function eventFields({ message, event, origin }: VerifiedEntry): LogFields {
  return {
    eventId: event.id,
    eventType: event.type,
    subject: event.subject,
    origin,
    channel: message.fqcn,
    messageId: message.id,
    detectedAt: event.detectedat,
    factTime: event.time,
  };
}

/** Fields of an untrusted message, with a bounded length. */
function messageFields({ id, fqcn, sender, transactionId }: Message): LogFields {
  return {
    messageId: boundedText(id),
    channel: boundedText(fqcn),
    sender: boundedText(sender),
    ...(transactionId !== undefined && { transactionId: boundedText(transactionId) }),
  };
}
