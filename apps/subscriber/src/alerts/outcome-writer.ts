import { BatchProcessor } from '../stream/batch-processor.js';
import type { Term } from '../replica/replica-lease.js';
import type { AlertOutbox, AttemptOutcome } from '../storage/alert-outbox.js';
import { untilStored } from '../storage/retry-until-stored.js';

/** The outcome of an attempt, or the end of the work on a subject. */
export type OutcomeEntry = { readonly outcome: AttemptOutcome } | { readonly finished: string };

interface Waiting {
  readonly entry: OutcomeEntry;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export type StorageFailure = (error: unknown, attempt: number, waitMs: number) => void;

const MAX_BATCH = 256;

/** Writes the outcomes of attempts to one sink; attempts that end while a write runs share the next one. */
export class OutcomeWriter {
  private readonly batches: BatchProcessor<Waiting>;

  constructor(
    private readonly sink: string,
    private readonly term: Term,
    private readonly outbox: AlertOutbox,
    private readonly signal: AbortSignal,
    private readonly onFailure: StorageFailure,
  ) {
    this.batches = new BatchProcessor((batch) => this.write(batch), MAX_BATCH);
  }

  /**
   * Resolves once the entry is durable.
   * @throws LeaseLostError, StoppedBeforeStoredError: it was not recorded, and the attempt is repeated
   */
  record(entry: OutcomeEntry): Promise<void> {
    return new Promise((done, failed) => this.batches.add([{ entry, done, failed }]));
  }

  private async write(batch: readonly Waiting[]): Promise<void> {
    const outcomes = batch.flatMap(({ entry }) => ('outcome' in entry ? [entry.outcome] : []));
    const finished = batch.flatMap(({ entry }) => ('finished' in entry ? [entry.finished] : []));
    try {
      await untilStored(
        () => this.outbox.record(this.sink, this.term.token, outcomes, finished),
        this.signal,
        this.onFailure,
      );
      for (const { done } of batch) done();
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  }
}
