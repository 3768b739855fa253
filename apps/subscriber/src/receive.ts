import { setImmediate as breathe } from 'node:timers/promises';
import type { Message } from '@ssb/bus';
import { alertDecision, trustedSenders, type OperatorConfig } from '@ssb/operator-config';
import type { LogFields, Logger } from '@ssb/platform';
import { verdictOn, type VerdictTerms } from './domain/verify-message.js';
import type { ReaderToken } from './replica/reader-lease.js';
import type { Archive } from './storage/archive.js';
import type { Entry, Outcome } from './storage/entries.js';
import { boundedText } from './storage/bounded-text.js';
import { untilStored } from './storage/retry-until-stored.js';
import type { SubscriberMetrics } from './subscriber-metrics.js';

export interface ReceiveDependencies {
  readonly config: OperatorConfig;
  readonly terms: Pick<VerdictTerms, 'scheme' | 'freshness'>;
  readonly archive: Archive;
  /** The right to read the channels; every group is recorded with it. */
  readonly reader: ReaderToken;
  readonly log: Logger;
  readonly metrics: SubscriberMetrics;
  /** Alerts were committed. */
  readonly wakeDispatcher: () => void;
  readonly now: () => Date;
  /** Aborted when the reader stops: a write that fails is then not repeated. */
  readonly stopping: AbortSignal;
}

/** Recovering signers keeps the processor; after so many messages the event loop gets a turn. */
const MAX_VERIFIED_IN_A_ROW = 16;

/**
 * The subscriber's pipeline: a group of messages from the gateway → a verdict on each → one transaction (inbox, archive and alert outbox for what
 * was verified, quarantine for the rest) → the alerts go out. When this resolves the whole group is durable; only then is it acknowledged.
 */
export class Receive {
  constructor(private readonly dependencies: ReceiveDependencies) {}

  /** @throws StoppedBeforeStoredError, LeaseLostError: nothing was recorded, so nothing may be acknowledged */
  async group(messages: readonly Message[]): Promise<void> {
    const verifiedAt = this.dependencies.now();
    const entries = await this.verify(messages);
    const outcomes = await this.store(entries);
    if (outcomes.includes('archived')) this.dependencies.wakeDispatcher();
    this.report(entries, outcomes, verifiedAt);
  }

  private async verify(messages: readonly Message[]): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const message of messages) {
      entries.push(this.entryFor(message));
      if (entries.length % MAX_VERIFIED_IN_A_ROW === 0) await breathe();
    }
    return entries;
  }

  private entryFor(message: Message): Entry {
    const { config, terms } = this.dependencies;
    const verdict = verdictOn(message, { ...terms, trusted: trustedSenders(config, message.fqcn) });
    if (!verdict.ok) {
      const { reason, detail, unlessSeen } = verdict;
      return { kind: 'rejected', message, reason, detail, unlessSeen };
    }
    const { event, signer } = verdict;
    return { kind: 'accepted', message, event, signer, ...alertDecision(config, event.type) };
  }

  private store(entries: readonly Entry[]): Promise<Outcome[]> {
    const { archive, reader, now, stopping, log, metrics } = this.dependencies;
    return untilStored(
      () => archive.record(entries, now(), reader),
      stopping,
      (err, attempt, waitMs) => {
        metrics.storageFailures.inc();
        log.error(
          { err, attempt, waitMs, messages: entries.length },
          'the messages could not be stored; nothing is acknowledged',
        );
      },
    );
  }

  private report(entries: readonly Entry[], outcomes: readonly Outcome[], verifiedAt: Date): void {
    const { log, metrics } = this.dependencies;
    metrics.received.inc(entries.length);
    entries.forEach((entry, at) => {
      const { message } = entry;
      if (outcomes[at] === 'repeat') {
        metrics.repeats.inc();
        log.debug({ busMessageId: message.id, channel: message.fqcn }, 'repeat dropped');
      } else if (entry.kind === 'accepted') {
        metrics.accepted.inc({ type: entry.event.type });
        const road = roadOf(entry);
        log.info({ step: 'verified', ...road, sender: message.sender, verifiedAt }, 'event verified');
        log.info({ step: 'archived', ...road, sinks: entry.sinks, alert: entry.alert }, 'event archived');
      } else {
        const { reason, detail } = entry;
        metrics.quarantined.inc({ reason });
        log.warn({ step: 'quarantined', reason, detail, ...outerFields(message) }, 'event quarantined');
      }
    });
  }
}

function roadOf({ message, event, signer }: Extract<Entry, { kind: 'accepted' }>): LogFields {
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

/** What a stranger wrote on the outside of a message, cut to a length that does no harm in a log. */
function outerFields({ id, fqcn, sender, transactionId }: Message): LogFields {
  return {
    busMessageId: boundedText(id),
    channel: boundedText(fqcn),
    sender: boundedText(sender),
    ...(transactionId !== undefined && { transactionId: boundedText(transactionId) }),
  };
}
