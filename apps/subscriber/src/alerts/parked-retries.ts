import type { Term } from '../replica/term.js';
import type { ParkedDeliveries } from '../storage/parked-deliveries.js';
import type { PendingAlert } from '../storage/pending-alert.js';
import { OperationStoppedError, retryDatabase } from '../storage/retry-database.js';
import type { AlertDelivery } from './alert-delivery.js';
import type { AlertSink } from './alert-sink.js';
import type { OnStorageFailure } from './outcome-writer.js';
import type { SinkCircuit } from './sink-circuit.js';

export interface ParkedRetriesOptions {
  readonly sink: AlertSink;
  readonly term: Term;
  readonly parked: ParkedDeliveries;
  readonly delivery: AlertDelivery;
  readonly circuit: SinkCircuit;
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
    const { sink, term, parked } = this.options;
    const alert = await this.access(() => parked.takeProbe({ sink: sink.name, term: term.token }));
    if (alert !== undefined) await this.attempt(alert);
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.running;
  }

  private get active(): boolean {
    return !this.options.stopSignal.aborted && this.options.term.isActive();
  }

  private schedule(waitMs: number): void {
    clearTimeout(this.timer);
    if (!this.active) return;
    this.timer = setTimeout(() => {
      this.running ??= this.run().finally(() => (this.running = undefined));
    }, waitMs);
  }

  private async run(): Promise<void> {
    const { sink, term, parked, circuit } = this.options;
    const query = () => ({ sink: sink.name, term: term.token, acceptedMsAgo: circuit.acceptedMsAgo });
    try {
      const alert = this.active ? await this.access(() => parked.takeDue(query())) : undefined;
      if (alert !== undefined) await this.attempt(alert);
      const waitMs = await this.access(() => parked.nextDueMs(query()));
      this.mayExist = waitMs !== undefined;
      if (waitMs === undefined) return;
      // A failing sink is probed; its recovery counts as accepted.
      this.schedule(circuit.isFailing ? MAX_WAIT_MS : Math.min(Math.max(waitMs, PAUSE_MS), MAX_WAIT_MS));
    } catch (error) {
      if (!(error instanceof OperationStoppedError)) throw error;
    }
  }

  private async attempt(alert: PendingAlert): Promise<void> {
    const { sink, term, parked, delivery, circuit, abortSignal } = this.options;
    this.acceptedSince = false;
    const attempt = await delivery.attempt(sink, alert, abortSignal, circuit.probePause);
    if (!term.isActive() || attempt.aborted) return;
    await this.access(() => parked.recordResult(sink.name, attempt.result));
    if (attempt.unverified) return;
    // A repeated refusal says nothing new about the sink, unless it was probed.
    if (attempt.result.verdict.kind === 'delivered' || circuit.isFailing) await circuit.record(attempt);
    if (attempt.result.verdict.kind === 'delivered') this.acceptedSince = true;
  }

  private access<T>(work: () => Promise<T>): Promise<T> {
    return retryDatabase(work, this.options.stopSignal, this.options.onStorageFailure);
  }
}
