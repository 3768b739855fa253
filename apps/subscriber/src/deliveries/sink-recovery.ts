import { retryDatabase } from '../database/retry-database.js';
import type { Attempt } from './deliverer.js';
import type { DeliveryPriority } from './domain/delivery-order.js';
import { MAX_PROBE_WAIT_SECONDS } from './outbox/bring-forward.js';
import type { NextAttempt } from './outbox/sink-states.js';
import { ParkedRetries, type ParkedRetriesOptions } from './parked-retries.js';
import { isGone, SinkCircuit, type SinkCircuitOptions } from './sink-circuit.js';

export type SinkRecoveryOptions = Omit<ParkedRetriesOptions, 'circuit'> & Omit<SinkCircuitOptions, 'sink'>;

/** When a worker claims again without a `wake`. */
export interface ClaimPlan {
  /** Undefined: only a `wake` starts it. */
  readonly waitMs: number | undefined;
  /** Another replica has noticed that the sink fails, or accepts again. */
  readonly hasChanged: boolean;
}

/** A sink whose attempts take longer is slow. */
const SLOW_ATTEMPT_MS = 100;
/** Limits the effect of a changed clock. */
const MAX_WAIT_MS = 60_000;
/** Pause when a due subject was not claimed, because a short transaction locks it. */
const MIN_WAIT_MS = 20;
/** Pause while a failing sink has no delivery that can be attempted. */
const IDLE_PROBE_MS = 1_000;

/** Follows the attempts to one sink: whether it fails and when it is probed, and the retries of its parked deliveries. */
export class SinkRecovery {
  private readonly circuit: SinkCircuit;
  private readonly parkedRetries: ParkedRetries;
  private slow = true;

  constructor(private readonly options: SinkRecoveryOptions) {
    this.circuit = new SinkCircuit({ ...options, sink: options.sink.name });
    this.parkedRetries = new ParkedRetries({ ...options, circuit: this.circuit });
  }

  start(): void {
    this.parkedRetries.start();
  }

  async stop(): Promise<void> {
    await this.parkedRetries.stop();
  }

  /** The sink accepts nothing: one delivery at a time is attempted. */
  get isFailing(): boolean {
    return this.circuit.isFailing;
  }

  get isSlow(): boolean {
    return this.slow;
  }

  /** The pause after a probe; undefined unless the sink fails. */
  get probePause(): SinkCircuit['probePause'] {
    return this.circuit.probePause;
  }

  noteParked(): void {
    this.parkedRetries.noteParked();
  }

  /** Counts an attempt. `isFailing` is valid at once; the promise waits for the database. @throws OperationStoppedError */
  async observe(attempt: Attempt): Promise<void> {
    if (attempt.result.outcome === 'unverified') return this.parkedRetries.noteParked();
    if (attempt.aborted) return;
    this.slow = attempt.result.durationMs > SLOW_ATTEMPT_MS;
    if (isGone(attempt.result)) return this.circuit.recordGone(attempt.result);
    await this.circuit.record(attempt);
    const { kind } = attempt.result.verdict;
    if (kind === 'delivered') this.parkedRetries.noteAccepted();
    else if (kind === 'refused') this.parkedRetries.noteParked();
  }

  /**
   * Whether an unclaimed subject is due, and no replica has noticed that the sink fails.
   * @param lowest considers subjects of this priority and of more urgent ones
   * @throws OperationStoppedError
   */
  async isDue(lowest: DeliveryPriority): Promise<boolean> {
    const { dueMs = Infinity, probeMs, disabled } = await this.readNextAttempt(lowest);
    return !disabled && probeMs === undefined && dueMs <= 0;
  }

  /**
   * Plans the next claim. A failing sink without a pending delivery is probed with a parked one.
   * @param lowest considers subjects of this priority and of more urgent ones
   * @throws OperationStoppedError
   */
  async planClaim(lowest: DeliveryPriority): Promise<ClaimPlan> {
    const { term, stopSignal } = this.options;
    const { dueMs, probeMs, disabled } = await this.readNextAttempt(lowest);
    if (disabled || stopSignal.aborted || !term.isActive()) return { waitMs: undefined, hasChanged: false };
    const wasFailing = this.circuit.isFailing;
    this.circuit.observe(probeMs !== undefined);
    const hasChanged = wasFailing !== this.circuit.isFailing;
    if (hasChanged && wasFailing) this.parkedRetries.noteAccepted();
    // A delivery that is held for longer does not prevent a probe with a parked one.
    const isPending = dueMs !== undefined && dueMs <= MAX_PROBE_WAIT_SECONDS * 1_000;
    if (probeMs !== undefined && !isPending && probeMs <= 0) await this.parkedRetries.probe();
    const waitMs = probeMs === undefined ? dueMs : Math.max(probeMs, isPending ? dueMs : IDLE_PROBE_MS);
    const bounded =
      waitMs === undefined ? undefined : Math.min(Math.max(waitMs + 1, MIN_WAIT_MS), MAX_WAIT_MS);
    return { waitMs: bounded, hasChanged };
  }

  private readNextAttempt(lowest: DeliveryPriority): Promise<NextAttempt> {
    const { states, sink, stopSignal, onStorageFailure } = this.options;
    return retryDatabase(() => states.nextAttempt(sink.name, lowest), stopSignal, onStorageFailure);
  }
}
