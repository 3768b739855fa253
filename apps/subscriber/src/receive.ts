import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Message } from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import { Mutex } from 'async-mutex';
import { MAX_VERIFIED_PER_TURN, type MessageVerifier } from './message-verifier.js';
import type { ReaderToken } from './replica/reader-lease.js';
import { ResultLog } from './result-log.js';
import type { Archive } from './storage/archive.js';
import type { ArchiveEntry, RecordResult } from './storage/archive-entries.js';
import { describeDatabaseError, retryDatabase } from './storage/retry-database.js';
import type { SubscriberMetrics } from './subscriber-metrics.js';

/**
 * Verifies a batch of messages and records it in one transaction. Verified events go to archive and alert outbox, other messages to quarantine;
 * then the alert dispatcher is woken.
 */
export class MessageReceiver {
  private storageError: unknown;
  /** Two transactions at once could each regard their event of a subject as its newest. */
  private readonly storing = new Mutex();
  private readonly resultLog: ResultLog;

  /** @param reader the token with which the database checks that this replica reads the channels */
  constructor(
    private readonly reader: ReaderToken,
    private readonly verifier: MessageVerifier,
    private readonly archive: Archive,
    private readonly dispatcher: { wake(): void },
    private readonly metrics: SubscriberMetrics,
    private readonly log: Logger,
  ) {
    this.resultLog = new ResultLog(metrics, log);
  }

  /**
   * Resolves when the batch is durable; only then may it be acknowledged. Repeats of archived events are dropped.
   * @param stopping once aborted, a failed write is not retried
   * @returns how many were not stored before
   * @throws OperationStoppedError, LeaseLostError: nothing was recorded
   */
  async receive(messages: readonly Message[], stopping: AbortSignal): Promise<number> {
    const entries = await this.verify(messages);
    const verifiedAt = new Date();
    const results = await this.storing.runExclusive(() => this.record(entries, stopping));
    // The commit notifies every replica; this call also works without the notification connection. A quarantined message may raise an alert.
    const stored = results.filter(({ kind }) => kind !== 'repeat').length;
    if (stored > 0) this.dispatcher.wake();
    this.metrics.received.inc(entries.length);
    entries.forEach((entry, at) =>
      this.resultLog.record(entry, results[at] ?? { kind: 'repeat' }, verifiedAt),
    );
    return stored;
  }

  /** @throws Error with the reason while messages cannot be stored, for example on a full disk */
  requireStorage(): void {
    if (this.storageError === undefined) return;
    throw new Error(`Messages cannot be stored: ${describeDatabaseError(this.storageError)}`);
  }

  private async verify(messages: readonly Message[]): Promise<ArchiveEntry[]> {
    const entries: ArchiveEntry[] = [];
    for (const message of messages) {
      entries.push(this.verifier.verify(message));
      if (entries.length % MAX_VERIFIED_PER_TURN === 0) await yieldToEventLoop();
    }
    return entries;
  }

  private async record(entries: readonly ArchiveEntry[], stopping: AbortSignal): Promise<RecordResult[]> {
    const results = await retryDatabase(
      () => this.archive.recordEntries(entries, new Date(), this.reader),
      stopping,
      (err, attempt, waitMs) => {
        this.storageError = err;
        this.metrics.storageFailures.inc();
        this.log.error({ err, attempt, waitMs, messages: entries.length }, 'message storage failed');
      },
    );
    this.storageError = undefined;
    return results;
  }
}
