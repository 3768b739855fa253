import type { SchedulerRegistry } from '@nestjs/schedule';
import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import type { ClientCertificate } from '@ssb/net';
import type { Logger } from '@ssb/platform';
import type { BackfillRunner } from '../backfill/backfill-runner.js';
import { momentIn, spreadOf } from '../detection/schedule/intervals.js';
import { FailureLog } from '../faults/failure-log.js';
import type { FutureCalculationFaults } from '../faults/future-calculation-faults.js';
import type { ParticipantFaults } from '../faults/participant-faults.js';
import type { HeldParticipant } from '../faults/participant-readiness.js';
import type { Lease } from '../lease/lease.js';
import type { MarketClients } from '../market/market-clients.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { PollResult } from '../polls/responses.js';
import type { Settings } from '../settings.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { Heartbeats } from './heartbeats.js';
import type { PollOutcomes } from './poll-outcomes.js';
import { maxPollMs, PollProgress } from './poll-progress.js';

interface Poll {
  /** @param mayContinue false once this replica has lost the lease */
  run(token: FencingToken, mayContinue: () => boolean): Promise<PollResult>;
}

export interface ParticipantParts {
  readonly code: string;
  readonly settings: Settings;
  readonly registry: SchedulerRegistry;
  readonly lease: Lease;
  readonly market: MarketClients;
  readonly polls: Readonly<Record<MarketInterface, Poll>>;
  readonly outcomes: PollOutcomes;
  readonly faults: ParticipantFaults;
  readonly futureCalculations: FutureCalculationFaults;
  readonly heartbeats: Heartbeats;
  readonly backfill: BackfillRunner;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/**
 * Polls both interfaces for one participant at fixed intervals while this replica holds its lease. Polls of one interface never overlap, and
 * pause after repeated failures.
 */
export class Participant {
  private readonly intervals: Readonly<Record<MarketInterface, number>>;
  private readonly progress: PollProgress;
  private readonly failures: FailureLog;
  private readonly running = new Map<MarketInterface, Promise<void>>();
  private started = false;
  private stopping = false;

  constructor(private readonly parts: ParticipantParts) {
    const { settings, log } = parts;
    this.intervals = {
      prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
      settlement: settings.POLL_SETTLEMENT_INTERVAL_MS,
    };
    this.progress = new PollProgress({
      prudential: maxPollMs('prudential', settings),
      settlement: maxPollMs('settlement', settings),
    });
    this.failures = new FailureLog(log);
  }

  /**
   * A second call has no effect. Each participant polls at its own moment of the interval, to avoid request bursts. Only the first polls
   * and the heartbeats start as soon as the lease is acquired.
   */
  start(): void {
    if (this.started) return;
    this.started = true;
    const { registry, lease, metrics } = this.parts;
    metrics.observeLease(() => lease.heldToken() !== undefined);
    for (const name of MARKET_INTERFACES) {
      const timer = this.timerName(name);
      const repeat = (): void => {
        registry.deleteTimeout(timer);
        registry.addInterval(
          timer,
          setInterval(() => this.startPoll(name), this.intervals[name]),
        );
        this.startPoll(name);
      };
      const offsetMs = momentIn(this.intervals[name], spreadOf(`${this.parts.code}|${name}`));
      registry.addTimeout(timer, setTimeout(repeat, offsetMs));
    }
    lease.start({
      onChange: (held) => this.onLeaseChange(held),
      onError: (error) => this.recordLeaseFailure(error),
      isBusy: () => this.running.size > 0 || this.parts.heartbeats.isBusy(),
    });
  }

  private onLeaseChange(held: boolean): void {
    const { lease, outcomes, faults, futureCalculations, heartbeats, backfill, metrics, log } = this.parts;
    metrics.setLeader(held);
    log.info({ leader: held }, held ? 'lease acquired' : 'lease ended');
    this.failures.succeeded('lease');
    if (!held) {
      faults.leaseLost();
      futureCalculations.leaseLost();
      void heartbeats.stop();
      void backfill.stop();
      return;
    }
    this.progress.restart();
    outcomes.restart();
    faults.leaseAcquired();
    heartbeats.start(() => lease.heldToken());
    backfill.start(() => lease.heldToken());
    for (const name of MARKET_INTERFACES) this.startPoll(name);
  }

  private startPoll(name: MarketInterface): void {
    const { lease, outcomes, faults, metrics } = this.parts;
    const token = lease.heldToken();
    if (token === undefined || this.stopping) return;
    faults.check();
    if (this.running.has(name)) {
      metrics.pollSkipped(name, 'still-running');
      return;
    }
    this.progress.record(name);
    const isPaused = outcomes.isPaused(name);
    if (isPaused) metrics.pollSkipped(name, 'pause');
    const work = isPaused ? outcomes.recordPause(name, token) : this.poll(name, token);
    const end = work.finally(() => {
      this.running.delete(name);
      this.progress.record(name);
    });
    this.running.set(name, end);
  }

  private async poll(name: MarketInterface, token: FencingToken): Promise<void> {
    const { lease, polls, outcomes, metrics } = this.parts;
    metrics.pollStarted(name);
    const mayContinue = (): boolean => !this.stopping && lease.heldToken() === token;
    let result: PollResult;
    try {
      result = await polls[name].run(token, mayContinue);
    } catch (error) {
      await outcomes.recordFailure(name, token, error);
      return;
    }
    await outcomes.recordResult(name, token, result);
  }

  /** Starts no more polls. Requests that wait for the budget are cancelled. */
  stopPolls(): void {
    this.stopping = true;
    this.parts.market.stopWaiting();
  }

  /** Completes running polls, then releases the lease, so that another replica takes over at once. */
  async stop(): Promise<void> {
    this.stopping = true;
    const { registry, lease, heartbeats, backfill } = this.parts;
    for (const name of MARKET_INTERFACES) {
      const timer = this.timerName(name);
      if (registry.doesExist('timeout', timer)) registry.deleteTimeout(timer);
      if (registry.doesExist('interval', timer)) registry.deleteInterval(timer);
    }
    await Promise.all([...this.running.values(), heartbeats.stop(), backfill.stop()]);
    await lease.stop().catch((error: unknown) => this.recordLeaseFailure(error));
  }

  /** Closes the connections, after `stop`. */
  async close(): Promise<void> {
    await this.parts.market.close();
    this.parts.metrics.remove();
  }

  /** Reports no more faults, because the participant is no longer polled. */
  endFaults(): void {
    this.parts.faults.end();
  }

  /** The client certificate in use; undefined without one. */
  certificate(name: MarketInterface | 'token'): ClientCertificate | undefined {
    return this.parts.market.connection(name).certificate;
  }

  /** Why changed files of the access are not used; empty when all are used. */
  refusals(): readonly unknown[] {
    return this.parts.market.refusals();
  }

  /** @throws Error when a poll loop does not run although this replica holds the lease */
  assertProgress(): void {
    if (this.parts.lease.heldToken() !== undefined && !this.stopping) this.progress.assertRecent();
  }

  /** The present faults of the interfaces; empty without the lease. */
  held(): readonly HeldParticipant[] {
    this.parts.faults.check();
    return this.parts.faults.held();
  }

  private timerName(name: MarketInterface): string {
    return `${name} ${this.parts.code}`;
  }

  private recordLeaseFailure(error: unknown): void {
    this.parts.metrics.countFailure('lease', error instanceof Error ? error.name : 'unknown');
    this.failures.failed('lease', error);
  }
}
