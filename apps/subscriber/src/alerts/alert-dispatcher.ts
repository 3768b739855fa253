import { LeaseLostError } from '../replica/reader-lease.js';
import type { Term } from '../replica/replica-lease.js';
import type { AlertOutbox, PendingAlert } from '../storage/alert-outbox.js';
import { retryUntilStored, StoppedBeforeStoredError } from '../storage/retry-until-stored.js';
import type { AlertSink } from './alert-sink.js';
import type { DeliveryAttempt } from './delivery-attempt.js';
import { OutcomeWriter, type OnStorageFailure, type OutcomeEntry } from './outcome-writer.js';

export interface DispatcherOptions {
  /** Concurrent attempts per sink, each for another subject. */
  readonly concurrency: number;
  readonly onStorageFailure: OnStorageFailure;
  /** Called when the database refuses a write because the term has ended. */
  readonly onLeaseLost: () => void;
}

/** Delivers alerts from the outbox during one term, with one worker per sink. Alerts for a removed sink stay in the outbox. */
export class AlertDispatcher {
  private readonly workers: readonly SinkWorker[];

  constructor(
    sinks: readonly AlertSink[],
    term: Term,
    outbox: AlertOutbox,
    attempt: DeliveryAttempt,
    options: DispatcherOptions,
  ) {
    this.workers = sinks.map((sink) => new SinkWorker(sink, term, outbox, attempt, options));
  }

  /** Checks for due alerts now. Call it after a commit, and when another replica may have released subjects. */
  wake(): void {
    for (const worker of this.workers) worker.wake();
  }

  /** @param drainMs time for attempts in flight before they are aborted */
  async stop(drainMs: number): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop(drainMs)));
  }
}

/** Alerts of one subject that are read at once; they may be large. */
const MAX_ALERTS_PER_SUBJECT = 16;
/** Limits the effect of a changed clock. */
const MAX_SLEEP_MS = 60_000;
/** A due subject that was not claimed is locked by a transaction that ends soon. */
const MIN_SLEEP_MS = 20;

/**
 * Delivers alerts to one sink: claims due subjects, then delivers the alerts of each subject in order until one fails. Subjects are delivered
 * concurrently. `wake` and a timer start the next claim.
 */
class SinkWorker {
  private readonly stopping = new AbortController();
  private readonly draining = new AbortController();
  /** Aborted when no more work may start. */
  private readonly stopSignal: AbortSignal;
  /** Aborted when attempts in flight must end. */
  private readonly abortSignal: AbortSignal;
  private readonly writer: OutcomeWriter;
  /** Claimed alerts that wait for an attempt, one list per subject. */
  private readonly ready: PendingAlert[][] = [];
  /** Claimed subjects, until their release is recorded. */
  private readonly held = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private refilling: Promise<void> | undefined;
  private wakePending = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sink: AlertSink,
    private readonly term: Term,
    private readonly outbox: AlertOutbox,
    private readonly attempt: DeliveryAttempt,
    private readonly options: DispatcherOptions,
  ) {
    this.stopSignal = AbortSignal.any([this.stopping.signal, term.ended]);
    this.abortSignal = AbortSignal.any([this.draining.signal, term.ended]);
    this.writer = new OutcomeWriter(sink.name, term, outbox, this.stopSignal, options.onStorageFailure);
  }

  wake(): void {
    this.wakePending = true;
    if (!this.active) return;
    this.refilling ??= this.refill().finally(() => {
      this.refilling = undefined;
      // A wake after the last query must not be lost.
      if (this.wakePending && this.hasCapacity()) this.wake();
    });
  }

  /** Starts no more attempts and waits for those in flight. After `drainMs`, or at once without a term, they are aborted and repeated later. */
  async stop(drainMs: number): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    const drainTimer = setTimeout(() => this.draining.abort(), this.term.holds() ? drainMs : 0);
    await this.refilling;
    await Promise.all(this.running);
    clearTimeout(drainTimer);
  }

  private get active(): boolean {
    return !this.stopping.signal.aborted && this.term.holds();
  }

  private hasCapacity(): boolean {
    return this.active && this.ready.length === 0 && this.running.size < this.options.concurrency;
  }

  private async refill(): Promise<void> {
    try {
      while (this.wakePending && this.hasCapacity()) {
        this.wakePending = false;
        await this.claimDue();
        this.startSubjects();
        if (this.hasCapacity()) await this.sleepUntilNextDue();
      }
    } catch (error) {
      this.handleInterruption(error);
    }
  }

  private async claimDue(): Promise<void> {
    const query = {
      sink: this.sink.name,
      term: this.term.token,
      subjects: this.options.concurrency * 2,
      perSubject: MAX_ALERTS_PER_SUBJECT,
      held: [...this.held],
    };
    for (const alert of await this.retryRead(() => this.outbox.claim(query))) {
      // Alerts of one subject are adjacent.
      if (this.ready.at(-1)?.[0]?.subject === alert.subject) this.ready.at(-1)?.push(alert);
      else this.ready.push([alert]);
      this.held.add(alert.subject);
    }
  }

  private async sleepUntilNextDue(): Promise<void> {
    const waitMs = await this.retryRead(() => this.outbox.nextDueMs(this.sink.name));
    clearTimeout(this.timer);
    if (waitMs === undefined || !this.active) return;
    this.timer = setTimeout(() => this.wake(), Math.min(Math.max(waitMs + 1, MIN_SLEEP_MS), MAX_SLEEP_MS));
  }

  private startSubjects(): void {
    while (this.active && this.running.size < this.options.concurrency) {
      const alerts = this.ready.shift();
      if (alerts === undefined) return;
      const run = this.deliverInOrder(alerts)
        .catch((error: unknown) => this.handleInterruption(error))
        .finally(() => {
          this.running.delete(run);
          this.held.delete(alerts[0]?.subject ?? '');
          this.startSubjects();
          this.wake();
        });
      this.running.add(run);
    }
  }

  /** Delivers the alerts of one subject. The next attempt does not wait for the last outcome to be recorded; the return does. */
  private async deliverInOrder(alerts: readonly PendingAlert[]): Promise<void> {
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
    for (const alert of alerts) {
      if (!this.active || refused) break;
      const outcome = await this.attempt(this.sink, alert, this.abortSignal);
      // After the term another replica repeats the attempt, so its outcome is not recorded.
      if (!this.term.holds()) break;
      record({ outcome });
      if (outcome.retryAfterMs !== undefined) break;
    }
    if (this.term.holds()) record({ finished: alerts[0]?.subject ?? '' });
    const failed = (await Promise.allSettled(recorded)).find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private retryRead<T>(read: () => Promise<T>): Promise<T> {
    return retryUntilStored(read, this.stopSignal, this.options.onStorageFailure);
  }

  /** Work that the end of the term or of the worker interrupts is repeated later. */
  private handleInterruption(error: unknown): void {
    if (error instanceof LeaseLostError) this.options.onLeaseLost();
    else if (!(error instanceof StoppedBeforeStoredError)) throw error;
  }
}
