import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import type { Logger } from '@ssb/platform';
import type { BackfillRunner } from '../backfill/backfill-runner.js';
import { FailureLog } from '../faults/failure-log.js';
import type { FutureCalculationFaults } from '../faults/future-calculation-faults.js';
import type { ParticipantFaults } from '../faults/participant-faults.js';
import type { Lease } from '../lease/lease.js';
import type { MarketClients } from '../market/market-clients.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { PollResult } from '../polls/responses.js';
import type { Settings } from '../settings.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { Heartbeats } from './heartbeats.js';
import type { PollOutcomes } from './poll-outcomes.js';
import { maxPollMs, PollProgress } from './poll-progress.js';
import type { PollTimers } from './poll-timers.js';

interface Poll {
  /** @param mayContinue false once this replica has lost the lease */
  run(token: FencingToken, mayContinue: () => boolean): Promise<PollResult>;
}

export interface ParticipantPollerParts {
  readonly settings: Settings;
  readonly timers: PollTimers;
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
export class ParticipantPoller {
  readonly market: MarketClients;
  readonly faults: ParticipantFaults;
  private readonly progress: PollProgress;
  private readonly failures: FailureLog;
  private readonly running = new Map<MarketInterface, Promise<void>>();
  private started = false;
  private stopping = false;

  constructor(private readonly parts: ParticipantPollerParts) {
    this.market = parts.market;
    this.faults = parts.faults;
    this.progress = new PollProgress(maxPollMs(parts.settings));
    this.failures = new FailureLog(parts.log);
  }

  /** The first polls and the heartbeats start as soon as the lease is acquired. A second call has no effect. */
  start(): void {
    if (this.started) return;
    this.started = true;
    const { timers, lease, heartbeats, metrics } = this.parts;
    metrics.observeLease(() => lease.heldToken() !== undefined);
    timers.start((name) => this.startPoll(name));
    lease.start({
      onChange: (held) => this.onLeaseChange(held),
      onError: (error) => this.recordLeaseFailure(error),
      isBusy: () => this.running.size > 0 || heartbeats.isBusy(),
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
    this.market.stopWaiting();
  }

  /** Completes running polls, then releases the lease, so that another replica takes over at once. */
  async stop(): Promise<void> {
    this.stopping = true;
    const { timers, lease, heartbeats, backfill } = this.parts;
    timers.stop();
    await Promise.all([...this.running.values(), heartbeats.stop(), backfill.stop()]);
    await lease.stop().catch((error: unknown) => this.recordLeaseFailure(error));
  }

  /** Closes the connections, after `stop`. */
  async close(): Promise<void> {
    await this.market.close();
    this.parts.metrics.remove();
  }

  /** @throws Error when a poll loop does not run although this replica holds the lease */
  assertProgress(): void {
    if (this.parts.lease.heldToken() !== undefined && !this.stopping) this.progress.assertRecent();
  }

  private recordLeaseFailure(error: unknown): void {
    this.parts.metrics.countFailure('lease', error instanceof Error ? error.name : 'unknown');
    this.failures.failed('lease', error);
  }
}
