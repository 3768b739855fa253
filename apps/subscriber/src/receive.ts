import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Message } from '@ssb/bus';
import { findAlertRouting, findTrustedSenders, type OperatorConfig } from '@ssb/operator-config';
import type { LogFields, Logger } from '@ssb/platform';
import { verifyMessage, type VerificationOptions } from './domain/verify-message.js';
import type { ReaderToken } from './replica/reader-lease.js';
import type { Archive } from './storage/archive.js';
import { boundedText, type AcceptedEntry, type Entry, type RecordOutcome } from './storage/entries.js';
import { retryUntilStored } from './storage/retry-until-stored.js';
import type { SubscriberMetrics } from './subscriber-metrics.js';

export interface ReceiveDependencies {
  readonly config: OperatorConfig;
  readonly verification: Pick<VerificationOptions, 'scheme' | 'freshness'>;
  readonly archive: Archive;
  /** Proves to the database that this replica reads the channels. */
  readonly reader: ReaderToken;
  readonly log: Logger;
  readonly metrics: SubscriberMetrics;
  /** Called after alerts were committed. */
  readonly wakeDispatcher: () => void;
  readonly now: () => Date;
  /** Aborted when the reader stops: a failed write is then not retried. */
  readonly stopping: AbortSignal;
}

/** Signature recovery blocks the event loop, so verification yields after this many messages. */
const MAX_VERIFIED_PER_TURN = 16;

/**
 * The subscriber's pipeline: verify each message → record the group in one transaction (archive and alert outbox, or quarantine) → wake the
 * alert dispatcher.
 */
export class MessageReceiver {
  constructor(private readonly dependencies: ReceiveDependencies) {}

  /**
   * Resolves when the group is durable; only then may it be acknowledged.
   * @throws StoppedBeforeStoredError, LeaseLostError: nothing was recorded
   */
  async receive(messages: readonly Message[]): Promise<void> {
    const verifiedAt = this.dependencies.now();
    const entries = await this.verify(messages);
    const outcomes = await this.record(entries);
    if (outcomes.includes('archived')) this.dependencies.wakeDispatcher();
    this.report(entries, outcomes, verifiedAt);
  }

  private async verify(messages: readonly Message[]): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const message of messages) {
      entries.push(this.toEntry(message));
      if (entries.length % MAX_VERIFIED_PER_TURN === 0) await yieldToEventLoop();
    }
    return entries;
  }

  private toEntry(message: Message): Entry {
    const { config, verification } = this.dependencies;
    const trusted = findTrustedSenders(config, message.fqcn);
    const verdict = verifyMessage(message, { ...verification, trusted });
    if (!verdict.ok) {
      const { reason, detail, possibleRepeatOf } = verdict;
      return { kind: 'rejected', message, reason, detail, possibleRepeatOf };
    }
    const { event, signer } = verdict;
    return { kind: 'accepted', message, event, signer, ...findAlertRouting(config, event.type) };
  }

  private record(entries: readonly Entry[]): Promise<RecordOutcome[]> {
    const { archive, reader, now, stopping, log, metrics } = this.dependencies;
    return retryUntilStored(
      () => archive.record(entries, now(), reader),
      stopping,
      (err, attempt, waitMs) => {
        metrics.storageFailures.inc();
        log.error({ err, attempt, waitMs, messages: entries.length }, 'messages could not be stored');
      },
    );
  }

  private report(entries: readonly Entry[], outcomes: readonly RecordOutcome[], verifiedAt: Date): void {
    const { log, metrics } = this.dependencies;
    metrics.received.inc(entries.length);
    entries.forEach((entry, at) => {
      const { message } = entry;
      if (outcomes[at] === 'repeat') {
        metrics.repeats.inc();
        log.debug({ busMessageId: message.id, channel: message.fqcn }, 'repeat dropped');
      } else if (entry.kind === 'accepted') {
        metrics.accepted.inc({ type: entry.event.type });
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

function eventFields({ message, event, signer }: AcceptedEntry): LogFields {
  return {
    eventId: event.id,
    eventType: event.type,
    subject: event.subject,
    signer,
    channel: message.fqcn,
    busMessageId: message.id,
    detectedAt: event.detectedat,
    publishedAt: event.time,
  };
}

/** Fields of an untrusted message, with a bounded length. */
function messageFields({ id, fqcn, sender, transactionId }: Message): LogFields {
  return {
    busMessageId: boundedText(id),
    channel: boundedText(fqcn),
    sender: boundedText(sender),
    ...(transactionId !== undefined && { transactionId: boundedText(transactionId) }),
  };
}
