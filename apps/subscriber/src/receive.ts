import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Message } from '@ssb/bus';
import { findAlertRouting, findTrustedSenders, type OperatorConfig } from '@ssb/operator-config';
import type { LogFields, Logger } from '@ssb/platform';
import { verifyBusMessage, type VerificationOptions } from './domain/verify-message.js';
import type { ReaderToken } from './replica/reader-lease.js';
import type { Archive } from './storage/archive.js';
import {
  boundedText,
  type ArchiveEntry,
  type RecordOutcome,
  type VerifiedEntry,
} from './storage/archive-entries.js';
import { retryDatabase } from './storage/retry-database.js';
import type { SubscriberMetrics } from './subscriber-metrics.js';

/** Signature recovery blocks the event loop, so verification yields after this many messages. */
const MAX_VERIFIED_PER_TURN = 16;

/**
 * Verifies a batch of messages and records it in one transaction. Verified events go to archive and alert outbox, other messages to quarantine;
 * then the alert dispatcher is woken.
 */
export class MessageReceiver {
  /** @param reader the token with which the database checks that this replica reads the channels */
  constructor(
    private readonly reader: ReaderToken,
    private readonly config: OperatorConfig,
    private readonly verification: Pick<VerificationOptions, 'scheme' | 'freshness'>,
    private readonly archive: Archive,
    private readonly dispatcher: { wake(): void },
    private readonly metrics: SubscriberMetrics,
    private readonly log: Logger,
  ) {}

  /**
   * Resolves when the batch is durable; only then may it be acknowledged. Repeats of archived events are dropped.
   * @param stopping once aborted, a failed write is not retried
   * @throws OperationStoppedError, LeaseLostError: nothing was recorded
   */
  async receive(messages: readonly Message[], stopping: AbortSignal): Promise<void> {
    const entries = await this.verify(messages);
    const verifiedAt = new Date();
    const outcomes = await this.record(entries, stopping);
    // The commit notifies every replica; this call also works without the notification connection.
    if (outcomes.includes('archived')) this.dispatcher.wake();
    this.logOutcomes(entries, outcomes, verifiedAt);
  }

  private async verify(messages: readonly Message[]): Promise<ArchiveEntry[]> {
    const entries: ArchiveEntry[] = [];
    for (const message of messages) {
      entries.push(this.toEntry(message));
      if (entries.length % MAX_VERIFIED_PER_TURN === 0) await yieldToEventLoop();
    }
    return entries;
  }

  private toEntry(message: Message): ArchiveEntry {
    const trusted = findTrustedSenders(this.config, message.fqcn);
    const verdict = verifyBusMessage(message, { ...this.verification, trusted });
    if (!verdict.ok) {
      const { reason, detail, possibleRepeatOf } = verdict;
      return { kind: 'rejected', message, reason, detail, possibleRepeatOf };
    }
    const { event, origin } = verdict;
    return { kind: 'verified', message, event, origin, ...findAlertRouting(this.config, event.type) };
  }

  private record(entries: readonly ArchiveEntry[], stopping: AbortSignal): Promise<RecordOutcome[]> {
    return retryDatabase(
      () => this.archive.recordEntries(entries, new Date(), this.reader),
      stopping,
      (err, attempt, waitMs) => {
        this.metrics.storageFailures.inc();
        this.log.error({ err, attempt, waitMs, messages: entries.length }, 'message storage failed');
      },
    );
  }

  private logOutcomes(
    entries: readonly ArchiveEntry[],
    outcomes: readonly RecordOutcome[],
    verifiedAt: Date,
  ): void {
    const { log, metrics } = this;
    metrics.received.inc(entries.length);
    entries.forEach((entry, index) => {
      const { message } = entry;
      if (outcomes[index] === 'repeat') {
        metrics.repeats.inc();
        log.debug({ messageId: message.id, channel: message.fqcn }, 'repeat dropped');
      } else if (entry.kind === 'verified') {
        metrics.archived.inc({ type: entry.event.type });
        const fields = { ...eventFields(entry), verifiedAt };
        log.debug({ step: 'verified', ...fields, sender: message.sender }, 'event verified');
        log.info({ step: 'archived', ...fields, sinks: entry.sinks, alert: entry.alert }, 'event archived');
      } else {
        const { reason, detail } = entry;
        metrics.quarantined.inc({ reason });
        log.warn({ step: 'quarantined', reason, detail, ...messageFields(message) }, 'event quarantined');
      }
    });
  }
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
