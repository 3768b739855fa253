import { OperationStoppedError, retryDatabase } from '../database/retry-database.js';
import { LeaseLostError } from '../replica/reader-lease.js';
import type { Term } from '../replica/running-term.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import {
  claimSize,
  lowestClaimable,
  LOWEST,
  maxRunning,
  NOTICE,
  type DeliveryPriority,
} from './domain/delivery-order.js';
import type { DeliveryOutbox } from './outbox/delivery-outbox.js';
import type { ClaimedSubject } from './outbox/pending-delivery.js';
import { AttemptRate } from './attempt-rate.js';
import { OutcomeWriter, PendingWrites } from './outcome-writer.js';
import type { RatedSink } from './sinks/configured-sink.js';
import { SinkRecovery, type SinkRecoveryOptions } from './sink-recovery.js';

export interface SinkWorkerOptions extends Omit<
  SinkRecoveryOptions,
  'sink' | 'term' | 'stopSignal' | 'abortSignal' | 'rate'
> {
  readonly outbox: DeliveryOutbox;
  /** Concurrent attempts per sink, each for another subject. */
  readonly concurrency: number;
  readonly metrics: Pick<SubscriberMetrics, 'replacedDeliveries'>;
}

/** Claimed for one attempt of a sink with a rate, so that the most urgent one is chosen for each. */
const ONE_DELIVERY = { subjects: 1, perSubject: 1 };

/** After this time the subject is released, so that an urgent delivery that arrived meanwhile comes first. */
const MAX_SUBJECT_MS = 500;

/**
 * Delivers to one sink. Claims due subjects by priority and attempts the deliveries of each in order until one fails; `wake` and a timer
 * start the next claim. A failing sink is probed with one delivery at a time.
 */
export class SinkWorker {
  private readonly stopping = new AbortController();
  private readonly draining = new AbortController();
  /** Aborted when no more work may start. */
  private readonly stopSignal: AbortSignal;
  /** Aborted when attempts in flight must end. */
  private readonly abortSignal: AbortSignal;
  private readonly writer: OutcomeWriter;
  private readonly recovery: SinkRecovery;
  private readonly rate: AttemptRate | undefined;
  /** Claimed subjects that wait for a free place among the running ones. */
  private waitingSubjects: ClaimedSubject[] = [];
  /** Names of all claimed subjects, until their release is recorded. */
  private readonly claimedSubjects = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  /** The rate permits an attempt that has not begun. */
  private hasAttempt = false;
  private claiming: Promise<void> | undefined;
  private wakePending = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sink: RatedSink,
    private readonly term: Term,
    private readonly options: SinkWorkerOptions,
  ) {
    const { outbox, onStorageFailure } = options;
    this.stopSignal = AbortSignal.any([this.stopping.signal, term.ended]);
    this.abortSignal = AbortSignal.any([this.draining.signal, term.ended]);
    const { stopSignal, abortSignal } = this;
    this.writer = new OutcomeWriter(sink.name, term, outbox, stopSignal, onStorageFailure);
    const { maxPerMinute } = sink;
    this.rate =
      maxPerMinute === undefined
        ? undefined
        : new AttemptRate({
            ...options,
            sink: sink.name,
            maxPerMinute,
            stopSignal,
            onFree: () => this.wake(),
          });
    this.recovery = new SinkRecovery({ ...options, sink, term, stopSignal, abortSignal, rate: this.rate });
    this.recovery.start();
  }

  get sinkName(): string {
    return this.sink.name;
  }

  wake(): void {
    this.wakePending = true;
    if (!this.active) return;
    this.claiming ??= this.claimWhileCapacity().finally(() => {
      this.claiming = undefined;
      // A wake after the last query must not be lost.
      if (this.wakePending && this.lowestClaimable() !== undefined) this.wake();
    });
  }

  noteParked(): void {
    this.recovery.noteParked();
  }

  /** Starts no further attempts and waits for those in flight. After `drainMs`, or at once without a term, they are aborted and repeated later. */
  async stop(drainMs: number): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    this.rate?.stop();
    const drainTimer = setTimeout(() => this.draining.abort(), this.term.isActive() ? drainMs : 0);
    await this.claiming;
    await Promise.all([...this.running, this.recovery.stop()]);
    clearTimeout(drainTimer);
  }

  private get active(): boolean {
    return !this.stopping.signal.aborted && this.term.isActive();
  }

  /** The lowest priority whose subjects may be claimed now. */
  private lowestClaimable(): DeliveryPriority | undefined {
    if (!this.active || (this.rate?.waitMs ?? 0) > 0) return undefined;
    if (this.recovery.isFailing) return this.running.size === 0 ? LOWEST : undefined;
    const waiting = this.waitingSubjects.map(({ priority }) => priority);
    return lowestClaimable(this.running.size, waiting, this.options.concurrency);
  }

  private async claimWhileCapacity(): Promise<void> {
    try {
      while (this.wakePending) {
        const lowest = this.lowestClaimable();
        if (lowest === undefined) return;
        this.wakePending = false;
        await this.claimDue(lowest);
        this.startSubjects();
        const next = this.lowestClaimable();
        if (next !== undefined) await this.scheduleNextClaim(next);
      }
    } catch (error) {
      this.handleInterruption(error);
    }
  }

  private async claimDue(lowest: DeliveryPriority): Promise<void> {
    const { outbox, concurrency, metrics, onStorageFailure } = this.options;
    if (this.rate !== undefined && !(await this.takeBeforeClaim(this.rate, lowest))) return;
    const subjectsInProcess = [...this.claimedSubjects];
    const query = { sink: this.sink.name, term: this.term.token, subjectsInProcess };
    const size =
      this.rate === undefined
        ? claimSize(lowest, this.running.size, concurrency, this.recovery.isSlow)
        : ONE_DELIVERY;
    const claimed = await retryDatabase(
      () =>
        this.recovery.isFailing ? outbox.claimProbe(query) : outbox.claim({ ...query, ...size, lowest }),
      this.stopSignal,
      onStorageFailure,
    );
    for (const each of claimed) {
      this.waitingSubjects.push(each);
      this.claimedSubjects.add(each.subject);
      if (each.replaced > 0) metrics.replacedDeliveries.inc({ sink: this.sink.name }, each.replaced);
    }
    this.waitingSubjects.sort((a, b) => a.priority - b.priority);
  }

  /**
   * Takes the attempt before the claim of a due subject. Another replica may take it instead, and then finds the most urgent subject
   * unclaimed.
   * @returns whether to claim; also when nothing seems due, because a claim finds probes and the subjects of a lost response
   */
  private async takeBeforeClaim(rate: AttemptRate, lowest: DeliveryPriority): Promise<boolean> {
    this.hasAttempt = false;
    if (this.recovery.isFailing || !(await this.recovery.isDue(lowest))) return this.active;
    this.hasAttempt = await rate.take();
    return this.hasAttempt && this.active;
  }

  private async scheduleNextClaim(lowest: DeliveryPriority): Promise<void> {
    const { waitMs, hasChanged } = await this.recovery.planClaim(lowest);
    clearTimeout(this.timer);
    if (hasChanged) this.wakePending = true;
    if (waitMs !== undefined && this.active) this.timer = setTimeout(() => this.wake(), waitMs);
  }

  private startSubjects(): void {
    while (this.active) {
      const claimed = this.takeStartable();
      if (claimed === undefined) return;
      const run = this.deliverInOrder(claimed)
        .catch((error: unknown) => this.handleInterruption(error))
        .finally(() => {
          this.running.delete(run);
          this.claimedSubjects.delete(claimed.subject);
          this.startSubjects();
          // Other claims wait until a place for notices is free, unless a wake was missed.
          if (this.wakePending || (this.lowestClaimable() ?? 0) >= NOTICE) this.wake();
        });
      this.running.add(run);
    }
  }

  private takeStartable(): ClaimedSubject | undefined {
    const [first] = this.waitingSubjects;
    if (first === undefined) return undefined;
    const limit = this.recovery.isFailing ? 1 : maxRunning(first.priority, this.options.concurrency);
    return this.running.size < limit ? this.waitingSubjects.shift() : undefined;
  }

  /** Attempts the deliveries of one subject until one fails. Results are recorded meanwhile; only the return waits for them. */
  private async deliverInOrder({ subject, deliveries, priority }: ClaimedSubject): Promise<void> {
    const { deliverer } = this.options;
    const writes = new PendingWrites(() => this.term.reportLost());
    const startedAt = performance.now();
    for (const [at, delivery] of deliveries.entries()) {
      const isOver = at > 0 && performance.now() - startedAt > MAX_SUBJECT_MS;
      if (!this.active || writes.haveFailed || isOver) break;
      if (this.rate !== undefined && !(await this.useAttempt(this.rate))) break;
      const attempt = await deliverer.attempt(
        this.sink,
        delivery,
        this.abortSignal,
        this.recovery.probePause,
      );
      // After the term another replica repeats the attempt, so its result is not recorded.
      if (!this.term.isActive()) break;
      writes.add(this.writer.recordResult(attempt.result));
      writes.add(this.recovery.observe(attempt));
      if (this.recovery.isFailing) this.releaseWaiting();
      // After a failed attempt the later deliveries of the subject wait too.
      if (attempt.result.verdict.kind === 'failed' || this.recovery.isFailing) break;
    }
    if (this.term.isActive()) writes.add(this.writer.releaseSubject(subject));
    try {
      await writes.settle();
    } finally {
      // The rest of the subject may be due; a free place for notices is found without this.
      if (priority < NOTICE) this.wakePending = true;
    }
  }

  /** Uses the attempt that was taken before the claim, otherwise takes one. */
  private useAttempt(rate: AttemptRate): Promise<boolean> {
    const { hasAttempt } = this;
    this.hasAttempt = false;
    return hasAttempt ? Promise.resolve(true) : rate.take();
  }

  /** Releases subjects that were claimed before the sink failed. */
  private releaseWaiting(): void {
    const waiting = this.waitingSubjects;
    this.waitingSubjects = [];
    for (const { subject } of waiting) {
      this.writer
        .releaseSubject(subject)
        .catch((error: unknown) => this.handleInterruption(error))
        .finally(() => this.claimedSubjects.delete(subject));
    }
  }

  /** Work that was interrupted by the end of the term or of the worker is repeated later. */
  private handleInterruption(error: unknown): void {
    if (error instanceof LeaseLostError) this.term.reportLost();
    else if (!(error instanceof OperationStoppedError)) throw error;
  }
}
