import { LeaseLostError } from '../replica/reader-lease.js';
import type { Term } from '../replica/replica-lease.js';
import type { AlertOutbox, PendingAlert } from '../storage/alert-outbox.js';
import { StoppedBeforeStoredError, untilStored } from '../storage/retry-until-stored.js';
import type { AlertSink } from './alert-sink.js';
import type { Attempt } from './delivery-attempt.js';
import { OutcomeWriter, type OutcomeEntry, type StorageFailure } from './outcome-writer.js';

export interface SinkWorkerOptions {
  /** Attempts at the same time, each for another subject. */
  readonly concurrency: number;
  readonly onStorageFailure: StorageFailure;
  /** The database refused a write because the term is over. */
  readonly onLeaseLost: () => void;
}

/** How many alerts of one subject are read at once; they may be large. */
const MAX_CHAIN = 16;
/** A changed clock must not put an alert off for long. */
const MAX_SLEEP_MS = 60_000;
/** A subject that is due and was not claimed is locked by a transaction that is about to end. */
const MIN_SLEEP_MS = 20;

/**
 * Delivers the outbox to one sink during one term. It claims subjects and delivers the alerts of each one after the other, until one fails.
 * Subjects are delivered concurrently.
 *
 * The worker is woken by commits, by the end of work on a subject, by the end of another replica, and by a timer when an alert is due.
 */
export class SinkWorker {
  private readonly stopping = new AbortController();
  private readonly cutOff = new AbortController();
  /** Aborted when no more work may start. */
  private readonly ending: AbortSignal;
  /** Aborted when attempts in flight must end. */
  private readonly breakOff: AbortSignal;
  private readonly writer: OutcomeWriter;
  private readonly ready: PendingAlert[][] = [];
  /** Subjects that are claimed; until the end of the claim is recorded. */
  private readonly held = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private refilling: Promise<void> | undefined;
  private wokenMeanwhile = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sink: AlertSink,
    private readonly term: Term,
    private readonly outbox: AlertOutbox,
    private readonly attempt: Attempt,
    private readonly options: SinkWorkerOptions,
  ) {
    this.ending = AbortSignal.any([this.stopping.signal, term.ended]);
    this.breakOff = AbortSignal.any([this.cutOff.signal, term.ended]);
    this.writer = new OutcomeWriter(sink.name, term, outbox, this.ending, options.onStorageFailure);
  }

  /** Something may be due. Cheap, and harmless at any time. */
  wake(): void {
    this.wokenMeanwhile = true;
    if (!this.active) return;
    this.refilling ??= this.refill().finally(() => {
      this.refilling = undefined;
      // A wake between the last query and this line must not be lost.
      if (this.wokenMeanwhile && this.hasRoom()) this.wake();
    });
  }

  /**
   * Starts nothing more and waits for the attempts in flight; those that outlast the bound are broken off, to be repeated. Without a term they
   * are broken off at once.
   */
  async stop(drainMs: number): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    const bound = setTimeout(() => this.cutOff.abort(), this.term.holds() ? drainMs : 0);
    await this.refilling;
    await Promise.all(this.running);
    clearTimeout(bound);
  }

  private get active(): boolean {
    return !this.stopping.signal.aborted && this.term.holds();
  }

  private async refill(): Promise<void> {
    try {
      while (this.wokenMeanwhile && this.hasRoom()) {
        this.wokenMeanwhile = false;
        await this.claimDue();
        this.startChains();
        if (this.hasRoom()) await this.sleepUntilNext();
      }
    } catch (error) {
      this.ignoreEnd(error);
    }
  }

  private hasRoom(): boolean {
    return this.active && this.ready.length === 0 && this.running.size < this.options.concurrency;
  }

  private async claimDue(): Promise<void> {
    const query = {
      sink: this.sink.name,
      term: this.term.token,
      subjects: this.options.concurrency * 2,
      perSubject: MAX_CHAIN,
      held: [...this.held],
    };
    for (const alert of await this.untilRead(() => this.outbox.claim(query))) {
      // A subject's alerts are next to each other.
      if (this.ready.at(-1)?.[0]?.subject === alert.subject) this.ready.at(-1)?.push(alert);
      else this.ready.push([alert]);
      this.held.add(alert.subject);
    }
  }

  private async sleepUntilNext(): Promise<void> {
    const waitMs = await this.untilRead(() => this.outbox.nextDueMs(this.sink.name));
    clearTimeout(this.timer);
    if (waitMs === undefined || !this.active) return;
    this.timer = setTimeout(() => this.wake(), Math.min(Math.max(waitMs + 1, MIN_SLEEP_MS), MAX_SLEEP_MS));
  }

  private startChains(): void {
    while (this.active && this.running.size < this.options.concurrency) {
      const chain = this.ready.shift();
      if (chain === undefined) return;
      const run = this.deliverChain(chain)
        .catch((error: unknown) => this.ignoreEnd(error))
        .finally(() => {
          this.running.delete(run);
          this.held.delete(chain[0]?.subject ?? '');
          this.startChains();
          this.wake();
        });
      this.running.add(run);
    }
  }

  /** The next attempt does not wait until the last outcome is recorded; the end of the chain does. A refused record ends the chain. */
  private async deliverChain(chain: readonly PendingAlert[]): Promise<void> {
    const recorded: Promise<void>[] = [];
    let refused = false;
    const record = (entry: OutcomeEntry): void => {
      const done = this.writer.record(entry);
      recorded.push(done);
      done.catch((error: unknown) => {
        refused = true;
        if (error instanceof LeaseLostError) this.options.onLeaseLost();
      });
    };
    for (const alert of chain) {
      if (!this.active || refused) break;
      const outcome = await this.attempt(this.sink, alert, this.breakOff);
      // Another replica repeats the attempt: this one cannot know what that found.
      if (!this.term.holds()) break;
      record({ outcome });
      if (outcome.retryAfterMs !== undefined) break;
    }
    if (this.term.holds()) record({ finished: chain[0]?.subject ?? '' });
    const failed = (await Promise.allSettled(recorded)).find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private untilRead<T>(read: () => Promise<T>): Promise<T> {
    return untilStored(read, this.ending, this.options.onStorageFailure);
  }

  /** What was in flight when the term or the worker ended is done again later. */
  private ignoreEnd(error: unknown): void {
    if (error instanceof LeaseLostError) this.options.onLeaseLost();
    else if (!(error instanceof StoppedBeforeStoredError)) throw error;
  }
}
