import type { Term } from '../replica/replica-lease.js';
import type { AlertOutbox, AttemptOutcome } from '../storage/alert-outbox.js';
import { retryUntilStored } from '../storage/retry-until-stored.js';
import { BatchProcessor } from '../stream/batch-processor.js';

/** The outcome of an attempt, or a subject to release. */
export type OutcomeEntry = { readonly outcome: AttemptOutcome } | { readonly finished: string };

interface WaitingEntry {
  readonly entry: OutcomeEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type OnStorageFailure = (error: unknown, attempt: number, waitMs: number) => void;

const MAX_BATCH = 256;

/** Records the outcomes of attempts to one sink. Outcomes that arrive during a write share the next write. */
export class OutcomeWriter {
  private readonly batches: BatchProcessor<WaitingEntry>;

  constructor(
    private readonly sink: string,
    private readonly term: Term,
    private readonly outbox: AlertOutbox,
    private readonly signal: AbortSignal,
    private readonly onFailure: OnStorageFailure,
  ) {
    this.batches = new BatchProcessor((batch) => this.write(batch), MAX_BATCH);
  }

  /**
   * Resolves once the entry is durable.
   * @throws LeaseLostError, StoppedBeforeStoredError: nothing was recorded, and the attempt will be repeated
   */
  record(entry: OutcomeEntry): Promise<void> {
    return new Promise((resolve, reject) => this.batches.add([{ entry, resolve, reject }]));
  }

  private async write(batch: readonly WaitingEntry[]): Promise<void> {
    const outcomes = batch.flatMap(({ entry }) => ('outcome' in entry ? [entry.outcome] : []));
    const finished = batch.flatMap(({ entry }) => ('finished' in entry ? [entry.finished] : []));
    try {
      await retryUntilStored(
        () => this.outbox.record(this.sink, this.term.token, outcomes, finished),
        this.signal,
        this.onFailure,
      );
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
