import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Message } from '@ssb/bus';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import type { Logger } from '@ssb/platform';
import { Mutex } from 'async-mutex';
import { BatchTrace } from './batch-trace.js';
import { describeRefusal } from '../database/domain/storage-failure.js';
import { MAX_VERIFIED_PER_TURN, type MessageVerifier } from './message-verifier.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { ResultLog } from './result-log.js';
import type { Archive } from '../archive/archive.js';
import { toAscii, type ArchiveEntry, type RecordResult } from '../archive/archive-entries.js';
import { recordBatch } from './record-batch.js';
import { describeDatabaseError, retryDatabase } from '../database/retry-database.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';

export interface MessageReceiverOptions {
  /** With it the database checks that this replica reads the channels. */
  readonly reader: ReaderToken;
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
  private storageError: unknown;
  private storageFailedAt = -Infinity;
  /** When each batch that is not stored yet was taken, oldest first; milliseconds of `performance.now()`. */
  private readonly takenAt = new Set<{ readonly at: number }>();
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
  async receive(messages: readonly Message[], stopping: AbortSignal): Promise<number> {
    const taken = { at: performance.now() };
    this.takenAt.add(taken);
    try {
      return await this.store(messages, stopping);
    } finally {
      this.takenAt.delete(taken);
    }
  }

  private async store(messages: readonly Message[], stopping: AbortSignal): Promise<number> {
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
    if (stored > 0) this.options.dispatcher.wake();
    this.options.metrics.received.inc(entries.length);
    entries.forEach((entry, at) => {
      const result = results[at] ?? { kind: 'repeat', of: 'event' };
      this.resultLog.record(entry, result, verifiedAt);
      trace.recordResult(entry, result);
    });
    return stored;
  }

  /** @throws Error with the reason while messages cannot be stored, for example on a full disk */
  assertStorage(): void {
    if (this.storageError === undefined) return;
    throw new Error(`Messages cannot be stored: ${describeDatabaseError(this.storageError)}`);
  }

  /**
   * Each attempt to write has a timeout, so a database that does not respond shows as a failure and never as a blocked batch.
   * @throws Error when a batch was neither stored nor refused by the database for longer than the limit
   */
  assertProgress(limitMs: number): void {
    const [oldest] = this.takenAt;
    if (oldest === undefined) return;
    const blockedMs = performance.now() - Math.max(oldest.at, this.storageFailedAt);
    if (blockedMs > limitMs)
      throw new Error(
        `Messages were taken ${Math.round(blockedMs / 1_000)} s ago and are neither stored nor refused, although the database responds`,
      );
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

  private async record(entries: readonly ArchiveEntry[], stopping: AbortSignal): Promise<RecordResult[]> {
    const { archive, reader, now } = this.options;
    const record = (part: readonly ArchiveEntry[]) => archive.recordEntries(part, now(), reader);
    const onLost = (entry: ArchiveEntry, error: unknown): void => this.reportLost(entry, error);
    const onTimeout = (err: unknown, messages: number): void => this.noteFailure({ err, messages });
    const recorded = new Map<ArchiveEntry, RecordResult>();
    const results = await retryDatabase(
      () => recordBatch(entries, record, { recorded, onLost, onTimeout }),
      stopping,
      (err, attempt, waitMs) => this.noteFailure({ err, attempt, waitMs, messages: entries.length }),
    );
    this.storageError = undefined;
    return results;
  }

  private noteFailure(fields: { err: unknown; messages: number; attempt?: number; waitMs?: number }): void {
    this.storageError = fields.err;
    this.storageFailedAt = performance.now();
    this.options.metrics.storageFailures.inc();
    this.options.log.error(fields, 'message storage failed');
  }

  /** A message that the database can neither store nor park is left out, because others wait behind it. */
  private reportLost({ message }: ArchiveEntry, error: unknown): void {
    this.options.metrics.gaps.inc();
    const [channel, messageId] = [toAscii(message.fqcn), toAscii(message.id)];
    const detail = `Message ${messageId} can be neither stored nor parked: ${describeRefusal(error)}.`;
    this.options.log.error({ channel, messageId, detail }, 'message lost');
    this.options.faults.raise({
      reason: 'message-not-storable',
      participant: ALL_PARTICIPANTS,
      channel,
      detail,
    });
  }
}
