import { LeaseLostError } from '../replica/reader-lease.js';
import type { Term } from '../replica/term.js';
import type { AlertOutbox, PendingAlert } from '../storage/alert-outbox.js';
import { retryDatabase, OperationStoppedError } from '../storage/retry-database.js';
import type { AlertDelivery } from './alert-delivery.js';
import type { AlertSink } from './alert-sink.js';
import { OutcomeWriter, type OnStorageFailure } from './outcome-writer.js';

export interface DispatcherOptions {
  /** Concurrent attempts per sink, each for another subject. */
  readonly concurrency: number;
  readonly onStorageFailure: OnStorageFailure;
  /** Called when the database refuses a write because the term has ended. */
  readonly onLeaseLost: () => void;
}

/** Delivers alerts from the outbox with one worker per sink, while the term of this replica is active. Alerts for a removed sink stay in the outbox. */
export class AlertDispatcher {
  private readonly workers: readonly SinkWorker[];

  constructor(
    sinks: readonly AlertSink[],
    term: Term,
    outbox: AlertOutbox,
    delivery: AlertDelivery,
    options: DispatcherOptions,
  ) {
    this.workers = sinks.map((sink) => new SinkWorker(sink, term, outbox, delivery, options));
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
const MAX_WAIT_MS = 60_000;
/** Pause when a subject is due but was not claimed: a transaction that ends soon has it locked. */
const MIN_WAIT_MS = 20;

interface ClaimedSubject {
  readonly subject: string;
  readonly alerts: PendingAlert[];
}

/**
 * Delivers alerts to one sink. Claims due subjects and delivers the alerts of each in order until one fails; `wake` and a timer start the next
 * claim.
 */
class SinkWorker {
  private readonly stopping = new AbortController();
  private readonly draining = new AbortController();
  /** Aborted when no more work may start. */
  private readonly stopSignal: AbortSignal;
  /** Aborted when attempts in flight must end. */
  private readonly abortSignal: AbortSignal;
  private readonly writer: OutcomeWriter;
  /** Claimed subjects that wait for a free place among the running ones. */
  private readonly waitingSubjects: ClaimedSubject[] = [];
  /** Names of all claimed subjects, until their release is recorded. */
  private readonly claimedSubjects = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private claiming: Promise<void> | undefined;
  private wakePending = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sink: AlertSink,
    private readonly term: Term,
    private readonly outbox: AlertOutbox,
    private readonly delivery: AlertDelivery,
    private readonly options: DispatcherOptions,
  ) {
    this.stopSignal = AbortSignal.any([this.stopping.signal, term.ended]);
    this.abortSignal = AbortSignal.any([this.draining.signal, term.ended]);
    this.writer = new OutcomeWriter(sink.name, term, outbox, this.stopSignal, options.onStorageFailure);
  }

  wake(): void {
    this.wakePending = true;
    if (!this.active) return;
    this.claiming ??= this.claimWhileCapacity().finally(() => {
      this.claiming = undefined;
      // A wake after the last query must not be lost.
      if (this.wakePending && this.hasCapacity()) this.wake();
    });
  }

  /** Starts no more attempts and waits for those in flight. After `drainMs`, or at once without a term, they are aborted and repeated later. */
  async stop(drainMs: number): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    const drainTimer = setTimeout(() => this.draining.abort(), this.term.isActive() ? drainMs : 0);
    await this.claiming;
    await Promise.all(this.running);
    clearTimeout(drainTimer);
  }

  private get active(): boolean {
    return !this.stopping.signal.aborted && this.term.isActive();
  }

  private hasCapacity(): boolean {
    return this.active && this.waitingSubjects.length === 0 && this.running.size < this.options.concurrency;
  }

  private async claimWhileCapacity(): Promise<void> {
    try {
      while (this.wakePending && this.hasCapacity()) {
        this.wakePending = false;
        await this.claimDue();
        this.startSubjects();
        if (this.hasCapacity()) await this.scheduleNextClaim();
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
      subjectsInProcess: [...this.claimedSubjects],
    };
    for (const alert of await this.retryRead(() => this.outbox.claim(query))) {
      // Alerts of one subject are adjacent.
      const last = this.waitingSubjects.at(-1);
      if (last?.subject === alert.subject) last.alerts.push(alert);
      else this.waitingSubjects.push({ subject: alert.subject, alerts: [alert] });
      this.claimedSubjects.add(alert.subject);
    }
  }

  private async scheduleNextClaim(): Promise<void> {
    const waitMs = await this.retryRead(() => this.outbox.nextDueMs(this.sink.name));
    clearTimeout(this.timer);
    if (waitMs === undefined || !this.active) return;
    this.timer = setTimeout(() => this.wake(), Math.min(Math.max(waitMs + 1, MIN_WAIT_MS), MAX_WAIT_MS));
  }

  private startSubjects(): void {
    while (this.active && this.running.size < this.options.concurrency) {
      const claimed = this.waitingSubjects.shift();
      if (claimed === undefined) return;
      const run = this.deliverInOrder(claimed)
        .catch((error: unknown) => this.handleInterruption(error))
        .finally(() => {
          this.running.delete(run);
          this.claimedSubjects.delete(claimed.subject);
          this.startSubjects();
          this.wake();
        });
      this.running.add(run);
    }
  }

  /** Delivers the alerts of one subject until one fails. Results are recorded meanwhile; only the return waits for them. */
  private async deliverInOrder({ subject, alerts }: ClaimedSubject): Promise<void> {
    const writes: Promise<void>[] = [];
    let recordingFailed = false;
    const addWrite = (write: Promise<void>): void => {
      writes.push(write);
      write.catch((error: unknown) => {
        recordingFailed = true;
        if (error instanceof LeaseLostError) this.options.onLeaseLost();
      });
    };
    for (const alert of alerts) {
      if (!this.active || recordingFailed) break;
      const result = await this.delivery.attempt(this.sink, alert, this.abortSignal);
      // After the term another replica repeats the attempt, so its result is not recorded.
      if (!this.term.isActive()) break;
      addWrite(this.writer.recordResult(result));
      // The attempt failed, so the later alerts of the subject wait too.
      if (result.retryAfterMs !== undefined) break;
    }
    if (this.term.isActive()) addWrite(this.writer.releaseSubject(subject));
    const failed = (await Promise.allSettled(writes)).find((write) => write.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private retryRead<T>(read: () => Promise<T>): Promise<T> {
    return retryDatabase(read, this.stopSignal, this.options.onStorageFailure);
  }

  /** Work that the end of the term or of the worker interrupts is repeated later. */
  private handleInterruption(error: unknown): void {
    if (error instanceof LeaseLostError) this.options.onLeaseLost();
    else if (!(error instanceof OperationStoppedError)) throw error;
  }
}
