import { retryDatabase } from '../database/retry-database.js';
import type { SinkStates } from './outbox/sink-states.js';
import type { OnStorageFailure } from './outcome-writer.js';

export interface AttemptRateOptions {
  readonly sink: string;
  readonly maxPerMinute: number;
  readonly states: Pick<SinkStates, 'takeAttempt'>;
  /** Aborted when no more work may start. */
  readonly stopSignal: AbortSignal;
  readonly onStorageFailure: OnStorageFailure;
  /** Called when an attempt may start again. */
  readonly onFree: () => void;
}

const MINUTE_MS = 60_000;
/** Limits the effect of a changed clock. */
const MAX_WAIT_MS = 60_000;

/**
 * The rate of one sink, which all replicas share through the database. Attempts are evenly spaced, so an urgent one waits for one interval at
 * most.
 */
export class AttemptRate {
  private readonly intervalMs: number;
  /** As performance.now(). */
  private freeAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: AttemptRateOptions) {
    this.intervalMs = MINUTE_MS / options.maxPerMinute;
  }

  /** Milliseconds until the next attempt may start, as far as this replica knows; 0 when it may start now. */
  get waitMs(): number {
    return Math.max(0, Math.ceil(this.freeAt - performance.now()));
  }

  /** Takes the next attempt. Callers take turns, so the most urgent one calls first. @returns whether it may start @throws OperationStoppedError */
  take(): Promise<boolean> {
    const taken = this.turn.then(() => this.tryTake());
    this.turn = taken.catch(() => undefined);
    return taken;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private async tryTake(): Promise<boolean> {
    if (this.waitMs > 0) return false;
    const { sink, states, stopSignal, onStorageFailure } = this.options;
    const waitMs = await retryDatabase(
      () => states.takeAttempt(sink, this.intervalMs),
      stopSignal,
      onStorageFailure,
    );
    this.pause(waitMs > 0 ? waitMs : this.intervalMs);
    return waitMs <= 0;
  }

  private pause(waitMs: number): void {
    const boundedMs = Math.min(waitMs, MAX_WAIT_MS);
    this.freeAt = performance.now() + boundedMs;
    clearTimeout(this.timer);
    if (!this.options.stopSignal.aborted)
      this.timer = setTimeout(() => this.options.onFree(), Math.ceil(boundedMs) + 1);
  }
}
