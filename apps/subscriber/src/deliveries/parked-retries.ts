import type { Term } from '../replica/running-term.js';
import type { ParkedDeliveries } from './outbox/parked-deliveries.js';
import type { PendingDelivery } from './outbox/pending-delivery.js';
import { OperationStoppedError, retryDatabase } from '../database/retry-database.js';
import type { Deliverer } from './deliverer.js';
import type { AlertSink } from './sinks/alert-sink.js';
import type { OnStorageFailure } from './outcome-writer.js';
import type { AttemptRate } from './attempt-rate.js';
import { isGone, type SinkCircuit } from './sink-circuit.js';

export interface ParkedRetriesOptions {
  readonly sink: AlertSink;
  readonly term: Term;
  readonly parked: ParkedDeliveries;
  readonly deliverer: Deliverer;
  readonly circuit: SinkCircuit;
  /** Undefined without a limit. */
  readonly rate: AttemptRate | undefined;
  /** Aborted when no more work may start. */
  readonly stopSignal: AbortSignal;
  /** Aborted when attempts in flight must end. */
  readonly abortSignal: AbortSignal;
  readonly onStorageFailure: OnStorageFailure;
}

/** Between two attempts: a sink that accepts again gets at most ten parked deliveries a second. */
const PAUSE_MS = 100;
const MAX_WAIT_MS = 60_000;

/** Attempts the parked deliveries of one sink again, one at a time. */
export class ParkedRetries {
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Of the timer, as performance.now(). */
  private wakeUpAt = 0;
  /** The sink may have parked deliveries. */
  private mayExist = true;
  /** The sink has accepted a delivery since the last attempt of a parked one. */
  private acceptedSince = false;

  constructor(private readonly options: ParkedRetriesOptions) {}

  start(): void {
    this.schedule(0);
  }

  /** A delivery was parked, by this replica or by another one. */
  noteParked(): void {
    if (this.mayExist) return;
    this.mayExist = true;
    this.schedule(PAUSE_MS);
  }

  noteAccepted(): void {
    if (!this.mayExist || this.acceptedSince) return;
    this.acceptedSince = true;
    this.schedule(PAUSE_MS);
  }

  /** Probes a failing sink that has no pending delivery. @throws OperationStoppedError */
  async probe(): Promise<void> {
    const { sink, term, parked, rate } = this.options;
    if (rate !== undefined && !(await rate.take())) return;
    const delivery = await this.access(() => parked.takeProbe({ sink: sink.name, term: term.token }));
    if (delivery !== undefined) await this.attempt(delivery);
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.running;
  }

  private get active(): boolean {
    return !this.options.stopSignal.aborted && this.options.term.isActive();
  }

  /** Keeps an earlier wake-up, such as one of a delivery that was accepted while `run` read the database. */
  private schedule(waitMs: number): void {
    const wakeUpAt = performance.now() + waitMs;
    if (!this.active || (this.timer !== undefined && this.wakeUpAt <= wakeUpAt)) return;
    clearTimeout(this.timer);
    this.wakeUpAt = wakeUpAt;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.running === undefined) this.running = this.run().finally(() => (this.running = undefined));
      else this.schedule(PAUSE_MS);
    }, waitMs);
  }

  private async run(): Promise<void> {
    const { sink, term, parked, circuit, rate } = this.options;
    const query = () => ({ sink: sink.name, term: term.token, acceptedMsAgo: circuit.acceptedMsAgo });
    const nextDueMs = () => this.access(() => parked.nextDueMs(query()));
    try {
      const mayStart = rate === undefined || (((await nextDueMs()) ?? Infinity) <= 0 && (await rate.take()));
      const delivery = mayStart && this.active ? await this.access(() => parked.takeDue(query())) : undefined;
      if (delivery !== undefined) await this.attempt(delivery);
      const dueMs = await nextDueMs();
      const waitMs = dueMs && Math.max(dueMs, rate?.waitMs ?? 0);
      this.mayExist = waitMs !== undefined;
      if (waitMs === undefined) return;
      // A failing sink is probed; its recovery counts as accepted.
      this.schedule(circuit.isFailing ? MAX_WAIT_MS : Math.min(Math.max(waitMs, PAUSE_MS), MAX_WAIT_MS));
    } catch (error) {
      if (!(error instanceof OperationStoppedError)) throw error;
    }
  }

  private async attempt(delivery: PendingDelivery): Promise<void> {
    const { sink, term, parked, deliverer, circuit, abortSignal } = this.options;
    this.acceptedSince = false;
    const attempt = await deliverer.attempt(sink, delivery, abortSignal, circuit.probePause);
    if (!term.isActive() || attempt.aborted) return;
    await this.access(() => parked.recordResult(sink.name, attempt.result));
    if (attempt.result.outcome === 'unverified') return;
    if (isGone(attempt.result)) return circuit.recordGone(attempt.result);
    // A repeated refusal says nothing new about the sink, unless it was probed.
    if (attempt.result.verdict.kind === 'delivered' || circuit.isFailing) await circuit.record(attempt);
    if (attempt.result.verdict.kind === 'delivered') this.acceptedSince = true;
  }

  private access<T>(work: () => Promise<T>): Promise<T> {
    return retryDatabase(work, this.options.stopSignal, this.options.onStorageFailure);
  }
}
