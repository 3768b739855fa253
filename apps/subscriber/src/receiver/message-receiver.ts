import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Message } from '@ssb/bus';
import type { FaultReporter } from '@ssb/faults';
import type { Logger } from '@ssb/platform';
import { Mutex } from 'async-mutex';
import type { Archive } from '../archive/archive.js';
import type { ArchiveEntry, RecordResult } from '../archive/archive-entries.js';
import { retryDatabase } from '../database/retry-database.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { BatchTrace } from './batch-trace.js';
import { MAX_VERIFIED_PER_TURN, type MessageVerifier } from './domain/message-verifier.js';
import { recordBatch } from './record-batch.js';
import { ResultLog } from './result-log.js';
import { StorageHealth } from './storage-health.js';

export interface MessageReceiverOptions {
  /** With it the database checks that this replica reads the channels. */
  readonly token: ReaderToken;
  readonly verifier: MessageVerifier;
  readonly archive: Pick<Archive, 'recordEntries'>;
  readonly dispatcher: { wake(): void };
  readonly faults: Pick<FaultReporter, 'raise'>;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
  readonly now: () => Date;
}

/**
 * Verifies a batch of messages and records it in one transaction: verified events in archive and outbox, other messages in the quarantine.
 * Then it wakes the dispatcher.
 */
export class MessageReceiver {
  /** For the health checks of the process. */
  readonly health = new StorageHealth();
  /** Two transactions at once could each regard their event of a subject as its newest. */
  private readonly storing = new Mutex();
  private readonly resultLog: ResultLog;

  constructor(private readonly options: MessageReceiverOptions) {
    this.resultLog = new ResultLog(options.metrics, options.log);
  }

  /**
   * Resolves when the batch is durable; only then may it be acknowledged. Repeats of archived events are dropped.
   * @param stopping once aborted, a failed write is not retried
   * @returns how many were not stored before
   * @throws OperationStoppedError, LeaseLostError: nothing was recorded
   */
  receive(messages: readonly Message[], stopping: AbortSignal): Promise<number> {
    return this.health.watch(() => this.store(messages, stopping));
  }

  private async store(messages: readonly Message[], stopping: AbortSignal): Promise<number> {
    const { dispatcher, metrics } = this.options;
    const trace = new BatchTrace();
    const entries = await this.verify(messages, trace);
    const verifiedAt = new Date();
    trace.startArchiving();
    const results = await this.storing
      .runExclusive(() => this.record(entries, stopping))
      .catch((error: unknown) => {
        trace.fail();
        throw error;
      });
    // The commit notifies every replica; this call also works without the notification connection. A quarantined message may raise an alert.
    const stored = results.filter(({ kind }) => kind !== 'repeat').length;
    if (stored > 0) dispatcher.wake();
    metrics.received.inc(entries.length);
    entries.forEach((entry, at) => {
      const result = results[at] ?? { kind: 'repeat', of: 'event' };
      this.resultLog.record(entry, result, verifiedAt);
      trace.recordResult(entry, result);
    });
    return stored;
  }

  private async verify(messages: readonly Message[], trace: BatchTrace): Promise<ArchiveEntry[]> {
    const entries: ArchiveEntry[] = [];
    for (const message of messages) {
      const startedAt = new Date();
      const entry = this.options.verifier.verify(message);
      trace.recordVerified(entry, startedAt);
      entries.push(entry);
      if (entries.length % MAX_VERIFIED_PER_TURN === 0) await yieldToEventLoop();
    }
    return entries;
  }

  /** A message that the database can neither store nor park is left out, because others wait behind it. */
  private async record(entries: readonly ArchiveEntry[], stopping: AbortSignal): Promise<RecordResult[]> {
    const { archive, token, now, faults } = this.options;
    const record = (part: readonly ArchiveEntry[]) => archive.recordEntries(part, now(), token);
    const recorded = new Map<ArchiveEntry, RecordResult>();
    const results = await retryDatabase(
      () =>
        recordBatch(entries, record, {
          recorded,
          onLost: (entry, error) => this.resultLog.reportLost(entry, error, faults),
          onTimeout: (err, messages) => this.noteFailure({ err, messages }),
        }),
      stopping,
      (err, attempt, waitMs) => this.noteFailure({ err, attempt, waitMs, messages: entries.length }),
    );
    this.health.noteSuccess();
    return results;
  }

  private noteFailure(fields: { err: unknown; messages: number; attempt?: number; waitMs?: number }): void {
    this.health.noteFailure(fields.err);
    this.options.metrics.storageFailures.inc();
    this.options.log.error(fields, 'message storage failed');
  }
}
