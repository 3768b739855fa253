import { LeaseLostError } from '../replica/reader-lease.js';
import type { Term } from '../replica/running-term.js';
import type { DeliveryOutbox } from './outbox/delivery-outbox.js';
import type { AttemptResult } from './outbox/pending-delivery.js';
import { retryDatabase } from '../database/retry-database.js';
import { BatchProcessor } from '../reader/batch-processor.js';

/** The result of an attempt, or a subject to release. */
type OutcomeEntry = { readonly result: AttemptResult } | { readonly release: string };

interface WaitingEntry {
  readonly entry: OutcomeEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type OnStorageFailure = (error: unknown, attempt: number, waitMs: number) => void;

const MAX_BATCH = 256;

/** Records the results of attempts to one sink. Entries that arrive during a write share the next write. */
export class OutcomeWriter {
  private readonly batches: BatchProcessor<WaitingEntry>;
  private gathering = false;

  constructor(
    private readonly sink: string,
    private readonly term: Term,
    private readonly outbox: DeliveryOutbox,
    private readonly signal: AbortSignal,
    private readonly onFailure: OnStorageFailure,
  ) {
    this.batches = new BatchProcessor((batch) => this.write(batch), MAX_BATCH);
  }

  /**
   * Resolves once the result is durable.
   * @throws LeaseLostError, OperationStoppedError: nothing was recorded, and the attempt will be repeated
   */
  recordResult(result: AttemptResult): Promise<void> {
    return this.add({ result });
  }

  /** Releases a subject after the results that were recorded before. Resolves and throws like `recordResult`. */
  releaseSubject(subject: string): Promise<void> {
    return this.add({ release: subject });
  }

  private add(entry: OutcomeEntry): Promise<void> {
    this.gather();
    return new Promise((resolve, reject) => this.batches.add([{ entry, resolve, reject }]));
  }

  /** The last result of a subject and its release are one write, and so is what other attempts add in the same turn of the event loop. */
  private gather(): void {
    if (this.gathering) return;
    this.gathering = true;
    this.batches.hold();
    setImmediate(() => {
      this.gathering = false;
      this.batches.release();
    });
  }

  private async write(batch: readonly WaitingEntry[]): Promise<void> {
    const results = batch.flatMap(({ entry }) => ('result' in entry ? [entry.result] : []));
    const releasedSubjects = batch.flatMap(({ entry }) => ('release' in entry ? [entry.release] : []));
    try {
      await retryDatabase(
        () => this.outbox.recordResults(this.sink, this.term.token, results, releasedSubjects),
        this.signal,
        this.onFailure,
      );
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** The writes of the attempts to deliver one subject, which continue meanwhile. */
export class PendingWrites {
  private readonly writes: Promise<void>[] = [];
  private failed = false;

  /** @param onLeaseLost called as soon as the database refuses a write because the term has ended */
  constructor(private readonly onLeaseLost: () => void) {}

  get haveFailed(): boolean {
    return this.failed;
  }

  add(write: Promise<void>): void {
    this.writes.push(write);
    write.catch((error: unknown) => {
      this.failed = true;
      if (error instanceof LeaseLostError) this.onLeaseLost();
    });
  }

  /** Waits for all writes. @throws the first failure */
  async settle(): Promise<void> {
    const results = await Promise.allSettled(this.writes);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }
}
