import type { Logger } from '@ssb/platform';
import { addFailure, isFailing, probeDelayMs, type FailureStreak } from './domain/failure-streak.js';
import type { Term } from '../replica/running-term.js';
import { retryDatabase } from '../database/retry-database.js';
import type { SinkStates } from './outbox/sink-states.js';
import type { Attempt } from './deliverer.js';
import type { AttemptResult } from './outbox/pending-delivery.js';
import type { OnStorageFailure } from './outcome-writer.js';

export interface SinkCircuitOptions {
  readonly sink: string;
  readonly term: Term;
  readonly states: SinkStates;
  /** Aborted when no more work may start. */
  readonly stopSignal: AbortSignal;
  readonly onStorageFailure: OnStorageFailure;
  readonly log: Logger;
}

/** Knows whether one sink fails, from the attempts of this replica and from the database, which all replicas share. */
export class SinkCircuit {
  private failing = false;
  private streak: FailureStreak | undefined;
  private failures = 0;
  private acceptedAt: number | undefined;

  constructor(private readonly options: SinkCircuitOptions) {}

  get isFailing(): boolean {
    return this.failing;
  }

  /** Milliseconds since this replica last saw the sink accept a delivery. */
  get acceptedMsAgo(): number | undefined {
    return this.acceptedAt === undefined ? undefined : performance.now() - this.acceptedAt;
  }

  /** The pause after a probe; undefined unless the sink fails. */
  get probePause(): ((durationMs: number) => number) | undefined {
    if (!this.failing) return undefined;
    return (durationMs) => probeDelayMs(this.failures + 1, durationMs, Math.random());
  }

  /** Another replica recorded the failure of the sink, or its recovery. */
  observe(failing: boolean): void {
    if (failing === this.failing) return;
    this.failing = failing;
    this.failures = 0;
    this.streak = undefined;
  }

  /** Counts an attempt. @throws OperationStoppedError */
  async record({ result }: Pick<Attempt, 'result'>): Promise<void> {
    if (result.verdict.kind === 'delivered') return this.recordAcceptance();
    const { durationMs } = result;
    const now = Date.now();
    this.streak = addFailure(this.streak, now - durationMs);
    if (!this.failing && !isFailing(this.streak)) return;
    const { sink, term, states, log } = this.options;
    if (!this.failing) log.error({ sink, outcome: result.description }, 'sink failing');
    this.failing = true;
    const { verdict } = result;
    const probeMs =
      verdict.kind === 'failed' && this.failures > 0
        ? verdict.retryAfterMs
        : probeDelayMs(this.failures + 1, durationMs, Math.random());
    const failingMs = now - this.streak.since;
    const failure = { failingMs, probeMs, outcome: result.description };
    this.failures = await this.write(() => states.recordFailure(sink, term.token, failure));
  }

  /** Disables the sink until a person enables it. @throws OperationStoppedError */
  async recordGone({ description }: Pick<AttemptResult, 'description'>): Promise<void> {
    const { sink, states, log } = this.options;
    const isNew = await this.write(() =>
      states.disable(sink, { by: 'subscriber', reason: `its receiver no longer exists: ${description}` }),
    );
    if (isNew) log.error({ sink, outcome: description }, 'sink disabled');
  }

  /** @throws OperationStoppedError */
  private async recordAcceptance(): Promise<void> {
    this.acceptedAt = performance.now();
    this.streak = undefined;
    this.failures = 0;
    if (!this.failing) return;
    this.failing = false;
    const { sink, states, log } = this.options;
    log.info({ sink }, 'sink accepts again');
    await this.write(() => states.recordRecovery(sink));
  }

  private write<T>(work: () => Promise<T>): Promise<T> {
    return retryDatabase(work, this.options.stopSignal, this.options.onStorageFailure);
  }
}

/** The receiver does not exist any more, and asks for no further attempt (Standard Webhooks, 410). */
export function isGone({ status }: Pick<AttemptResult, 'status'>): boolean {
  return status === 410;
}
