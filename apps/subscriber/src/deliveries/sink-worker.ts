import type { Logger } from '@ssb/platform';
import { lowestWanted, maxRunning, type Priority } from './domain/delivery-order.js';
import { LeaseLostError } from '../replica/reader-lease.js';
import type { Term } from '../replica/running-term.js';
import type { DeliveryOutbox } from './outbox/delivery-outbox.js';
import type { ParkedDeliveries } from './outbox/parked-deliveries.js';
import type { ClaimedSubject } from './outbox/pending-delivery.js';
import { OperationStoppedError, retryDatabase } from '../database/retry-database.js';
import { MAX_PROBE_WAIT_SECONDS, type SinkStates } from './outbox/sink-states.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import type { Deliverer } from './deliverer.js';
import type { Sink } from './sink.js';
import { OutcomeWriter, type OnStorageFailure } from './outcome-writer.js';
import { ParkedRetries } from './parked-retries.js';
import { SinkCircuit } from './sink-circuit.js';

export interface SinkWorkerOptions {
  readonly outbox: DeliveryOutbox;
  readonly parked: ParkedDeliveries;
  readonly states: SinkStates;
  readonly deliverer: Deliverer;
  /** Concurrent attempts per sink, each for another subject. */
  readonly concurrency: number;
  readonly onStorageFailure: OnStorageFailure;
  /** Called when the database refuses a write because the term has ended. */
  readonly onLeaseLost: () => void;
  readonly metrics: Pick<SubscriberMetrics, 'replacedDeliveries'>;
  readonly log: Logger;
}

/** Deliveries of one subject that are read at once; they may be large. */
const MAX_PER_SUBJECT = 16;
/** The same for a slow sink, which claims no subject ahead. */
const MAX_PER_SUBJECT_SLOW = 2;
/** A sink whose attempts take longer is slow: claimed deliveries would delay urgent ones of the same subject. */
const SLOW_ATTEMPT_MS = 100;
/** After this time the subject is released, so that an urgent delivery that arrived meanwhile comes first. */
const MAX_SUBJECT_MS = 500;
/** Limits the effect of a changed clock. */
const MAX_WAIT_MS = 60_000;
/** Pause when a due subject was not claimed, because a short transaction locks it. */
const MIN_WAIT_MS = 20;
/** Pause while a failing sink has no delivery that can be attempted. */
const IDLE_PROBE_MS = 1_000;

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
  private readonly circuit: SinkCircuit;
  private readonly parkedRetries: ParkedRetries;
  /** Claimed subjects that wait for a free place among the running ones. */
  private waitingSubjects: ClaimedSubject[] = [];
  /** Names of all claimed subjects, until their release is recorded. */
  private readonly claimedSubjects = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private claiming: Promise<void> | undefined;
  private wakePending = false;
  private isSlow = true;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sink: Sink,
    private readonly term: Term,
    private readonly options: SinkWorkerOptions,
  ) {
    const { outbox, parked, states, deliverer, onStorageFailure, log } = options;
    this.stopSignal = AbortSignal.any([this.stopping.signal, term.ended]);
    this.abortSignal = AbortSignal.any([this.draining.signal, term.ended]);
    this.writer = new OutcomeWriter(sink.name, term, outbox, this.stopSignal, onStorageFailure);
    const { stopSignal, abortSignal } = this;
    this.circuit = new SinkCircuit({
      sink: sink.name,
      term,
      states,
      signal: stopSignal,
      onStorageFailure,
      log,
    });
    this.parkedRetries = new ParkedRetries({
      sink,
      term,
      parked,
      deliverer,
      circuit: this.circuit,
      stopSignal,
      abortSignal,
      onStorageFailure,
    });
    this.parkedRetries.start();
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
      if (this.wakePending && this.lowest() !== undefined) this.wake();
    });
  }

  noteParked(): void {
    this.parkedRetries.noteParked();
  }

  /** Starts no further attempts and waits for those in flight. After `drainMs`, or at once without a term, they are aborted and repeated later. */
  async stop(drainMs: number): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    const drainTimer = setTimeout(() => this.draining.abort(), this.term.isActive() ? drainMs : 0);
    await this.claiming;
    await Promise.all([...this.running, this.parkedRetries.stop()]);
    clearTimeout(drainTimer);
  }

  private get active(): boolean {
    return !this.stopping.signal.aborted && this.term.isActive();
  }

  /** The lowest priority of which more subjects can be claimed now. */
  private lowest(): Priority | undefined {
    if (!this.active) return undefined;
    if (this.circuit.isFailing) return this.running.size === 0 ? 2 : undefined;
    const waiting = this.waitingSubjects.map(({ priority }) => priority);
    return lowestWanted(this.running.size, waiting, this.options.concurrency);
  }

  private async claimWhileCapacity(): Promise<void> {
    try {
      for (let lowest = this.lowest(); this.wakePending && lowest !== undefined; lowest = this.lowest()) {
        this.wakePending = false;
        await this.claimDue(lowest);
        this.startSubjects();
        const next = this.lowest();
        if (next !== undefined) await this.scheduleNextClaim(next);
      }
    } catch (error) {
      this.handleInterruption(error);
    }
  }

  private async claimDue(lowest: Priority): Promise<void> {
    const { outbox, concurrency, metrics } = this.options;
    const query = {
      sink: this.sink.name,
      term: this.term.token,
      subjectsInProcess: [...this.claimedSubjects],
    };
    const size = this.isSlow
      ? {
          subjects: maxRunning(lowest, concurrency) - this.running.size,
          perSubject: MAX_PER_SUBJECT_SLOW,
        }
      : { subjects: concurrency * 2, perSubject: MAX_PER_SUBJECT };
    const claimed = await this.retryRead(() =>
      this.circuit.isFailing ? outbox.claimProbe(query) : outbox.claim({ ...query, ...size, lowest }),
    );
    for (const each of claimed) {
      this.waitingSubjects.push(each);
      this.claimedSubjects.add(each.subject);
      if (each.replaced > 0) metrics.replacedDeliveries.inc({ sink: this.sink.name }, each.replaced);
    }
    this.waitingSubjects.sort((a, b) => a.priority - b.priority);
  }

  private async scheduleNextClaim(lowest: Priority): Promise<void> {
    const { dueMs, probeMs } = await this.retryRead(() =>
      this.options.outbox.nextAttempt(this.sink.name, lowest),
    );
    clearTimeout(this.timer);
    if (!this.active) return;
    const wasFailing = this.circuit.isFailing;
    this.circuit.observe(probeMs !== undefined);
    if (wasFailing !== this.circuit.isFailing) {
      if (wasFailing) this.parkedRetries.noteAccepted();
      this.wakePending = true;
    }
    // A delivery that is held for longer does not prevent a probe with a parked one.
    const isPending = dueMs !== undefined && dueMs <= MAX_PROBE_WAIT_SECONDS * 1_000;
    if (probeMs !== undefined && !isPending && probeMs <= 0) await this.parkedRetries.probe();
    const waitMs = probeMs === undefined ? dueMs : Math.max(probeMs, isPending ? dueMs : IDLE_PROBE_MS);
    if (waitMs === undefined) return;
    this.timer = setTimeout(() => this.wake(), Math.min(Math.max(waitMs + 1, MIN_WAIT_MS), MAX_WAIT_MS));
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
          if (this.wakePending || this.lowest() === 2) this.wake();
        });
      this.running.add(run);
    }
  }

  private takeStartable(): ClaimedSubject | undefined {
    const [first] = this.waitingSubjects;
    if (first === undefined) return undefined;
    const limit = this.circuit.isFailing ? 1 : maxRunning(first.priority, this.options.concurrency);
    return this.running.size < limit ? this.waitingSubjects.shift() : undefined;
  }

  /** Attempts the deliveries of one subject until one fails. Results are recorded meanwhile; only the return waits for them. */
  private async deliverInOrder({ subject, deliveries, priority }: ClaimedSubject): Promise<void> {
    const { deliverer, onLeaseLost } = this.options;
    const writes: Promise<void>[] = [];
    let recordingFailed = false;
    const addWrite = (write: Promise<void>): void => {
      writes.push(write);
      write.catch((error: unknown) => {
        recordingFailed = true;
        if (error instanceof LeaseLostError) onLeaseLost();
      });
    };
    const startedAt = performance.now();
    for (const [at, delivery] of deliveries.entries()) {
      const isOver = at > 0 && performance.now() - startedAt > MAX_SUBJECT_MS;
      if (!this.active || recordingFailed || isOver) break;
      const attempt = await deliverer.attempt(this.sink, delivery, this.abortSignal, this.circuit.probePause);
      // After the term another replica repeats the attempt, so its result is not recorded.
      if (!this.term.isActive()) break;
      addWrite(this.writer.recordResult(attempt.result));
      if (attempt.unverified) this.parkedRetries.noteParked();
      else if (!attempt.aborted) addWrite(this.observe(attempt));
      // After a failed attempt the later deliveries of the subject wait too.
      if (attempt.result.verdict.kind === 'failed' || this.circuit.isFailing) break;
    }
    if (this.term.isActive()) addWrite(this.writer.releaseSubject(subject));
    const failed = (await Promise.allSettled(writes)).find((write) => write.status === 'rejected');
    // The rest of the subject may be due; a free place for notices is found without this.
    if (priority < 2) this.wakePending = true;
    if (failed !== undefined) throw failed.reason;
  }

  private async observe(attempt: Awaited<ReturnType<Deliverer['attempt']>>): Promise<void> {
    const { kind } = attempt.result.verdict;
    this.isSlow = attempt.durationMs > SLOW_ATTEMPT_MS;
    const recorded = this.circuit.record(attempt);
    if (this.circuit.isFailing) this.releaseWaiting();
    await recorded;
    if (kind === 'delivered') this.parkedRetries.noteAccepted();
    else if (kind === 'refused') this.parkedRetries.noteParked();
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

  private retryRead<T>(read: () => Promise<T>): Promise<T> {
    return retryDatabase(read, this.stopSignal, this.options.onStorageFailure);
  }

  /** Work that was interrupted by the end of the term or of the worker is repeated later. */
  private handleInterruption(error: unknown): void {
    if (error instanceof LeaseLostError) this.options.onLeaseLost();
    else if (!(error instanceof OperationStoppedError)) throw error;
  }
}
