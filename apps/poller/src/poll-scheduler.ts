import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { ClockMonitor } from '@ssb/clock';
import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { Liveness, LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { OPERATOR_CLOCKS, type PollerClock } from './clock.js';
import { accessFailure, type AccessFailure } from './detection/market-access.js';
import type { ClassifiedFailure } from './domain/failure-classification.js';
import { FailureLog } from './failure-log.js';
import { Heartbeats } from './heartbeats.js';
import { Lease, type FencingToken } from './lease/lease.js';
import { ParticipantFaults } from './participant-faults.js';
import {
  ExpiredCertificateError,
  isMarketFailure,
  isTooManyRequests,
  listFailures,
  maxRetryAfterMs,
  pauseAfterFailure,
  StoppingError,
} from './poll-failures.js';
import { Poller } from './poll.js';
import type { PollResult } from './polls/poll-result.js';
import { maxPollMs, PollProgress } from './poll-progress.js';
import { PollerMetrics } from './poller-metrics.js';
import type { Settings } from './settings.js';
import { PollerStateStore } from './state/poller-state.js';

/** Starts polls at fixed intervals while this replica holds the lease. Polls of one kind never overlap, and pause after repeated failures. */
@Injectable()
export class PollScheduler implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly failures: FailureLog;
  private readonly running = new Map<MarketInterface, Promise<void>>();
  private readonly pausedUntil = new Map<MarketInterface, number>();
  private readonly marketFailures = new Map<MarketInterface, number>();
  /** The failure of each interface whose last request failed. */
  private readonly lastFailures = new Map<MarketInterface, AccessFailure>();
  private readonly intervals: Readonly<Record<MarketInterface, number>>;
  private readonly progress: PollProgress;
  private stopping = false;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly registry: SchedulerRegistry,
    private readonly metrics: PollerMetrics,
    private readonly poller: Poller,
    private readonly lease: Lease,
    private readonly state: PollerStateStore,
    private readonly faults: ParticipantFaults,
    private readonly heartbeats: Heartbeats,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
    liveness: Liveness,
  ) {
    this.intervals = {
      prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
      settlement: settings.POLL_SETTLEMENT_INTERVAL_MS,
    };
    this.failures = new FailureLog(log);
    this.progress = new PollProgress({
      prudential: maxPollMs('prudential', settings),
      settlement: maxPollMs('settlement', settings),
    });
    liveness.register('polls', () => {
      if (this.lease.heldToken() !== undefined && !this.stopping) this.progress.require();
    });
  }

  onApplicationBootstrap(): void {
    for (const kind of MARKET_INTERFACES)
      this.registry.addInterval(
        kind,
        setInterval(() => this.startPoll(kind), this.intervals[kind]),
      );
    this.lease.start({
      onChange: (held) => this.onLeaseChange(held),
      onError: (error) => this.recordLeaseFailure(error),
    });
  }

  /** Starts no more polls. Runs before the module's own hook, which rejects requests that wait for the budget. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** Completes running polls, then releases the lease, so that another replica takes over at once. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const kind of MARKET_INTERFACES)
      if (this.registry.doesExist('interval', kind)) this.registry.deleteInterval(kind);
    await Promise.all([...this.running.values(), this.heartbeats.stop()]);
    await this.lease.stop().catch((error: unknown) => this.recordLeaseFailure(error));
  }

  private onLeaseChange(held: boolean): void {
    this.metrics.setLeader(held);
    this.log.info({ leader: held }, held ? 'lease acquired' : 'lease ended');
    this.failures.succeeded('lease');
    if (!held) {
      this.faults.leaseLost();
      this.clock.forget(OPERATOR_CLOCKS);
      void this.heartbeats.stop();
      return;
    }
    this.progress.restart();
    this.lastFailures.clear();
    this.faults.leaseAcquired();
    this.heartbeats.start(() => this.lease.heldToken());
    for (const kind of MARKET_INTERFACES) this.startPoll(kind);
  }

  private startPoll(kind: MarketInterface): void {
    const token = this.lease.heldToken();
    if (token === undefined || this.stopping) return;
    this.faults.check();
    if (this.running.has(kind)) {
      this.metrics.skipped.inc({ poll: kind, reason: 'still-running' });
      return;
    }
    if (Date.now() < (this.pausedUntil.get(kind) ?? 0)) {
      this.metrics.skipped.inc({ poll: kind, reason: 'pause' });
      this.progress.record(kind);
      const failure = this.lastFailures.get(kind);
      // The allowed time of the outage may end during the pause.
      if (failure !== undefined) this.run(kind, this.recordAccessFailure(kind, token, failure));
      return;
    }
    this.progress.record(kind);
    this.run(kind, this.runPoll(kind, token));
  }

  private run(kind: MarketInterface, work: Promise<void>): void {
    this.running.set(
      kind,
      work.finally(() => this.onPollEnd(kind)),
    );
  }

  private onPollEnd(kind: MarketInterface): void {
    this.running.delete(kind);
    this.progress.record(kind);
    // An answer may have arrived after the end of the lease.
    if (this.lease.heldToken() === undefined) this.clock.forget(OPERATOR_CLOCKS);
  }

  private async runPoll(kind: MarketInterface, token: FencingToken): Promise<void> {
    this.metrics.polls.inc({ poll: kind });
    const mayContinue = (): boolean => !this.stopping && this.lease.heldToken() === token;
    let result: PollResult;
    try {
      result = await this.poller.poll(kind, token, mayContinue);
    } catch (error) {
      await this.onPollFailure(kind, token, error);
      return;
    }
    try {
      await this.onPollSuccess(kind, token, result);
    } catch (error) {
      // The operator answered, and Redis failed.
      this.countFailure(kind, error);
      this.failures.failed(kind, error);
    }
  }

  private async onPollSuccess(kind: MarketInterface, token: FencingToken, result: PollResult): Promise<void> {
    const { hasAnswer, failures, unusable } = result;
    if (!hasAnswer && failures.length > 0) {
      // Single documents failed, and the operator answered lately.
      this.recordFailures(kind, failures);
      this.pause(kind, failures, failures.some(isTooManyRequests));
      return;
    }
    // A poll without an answer does not end the failure of an earlier one.
    if (!hasAnswer && this.lastFailures.has(kind)) return;
    this.lastFailures.delete(kind);
    const succeededAt = new Date();
    await this.state.saveLastSuccess(token, kind, succeededAt);
    this.metrics.showSuccess(kind, succeededAt);
    if (failures.length === 0) this.failures.succeeded(kind);
    // Other requests of the poll were answered.
    this.recordFailures(kind, failures);
    this.pause(kind, failures, failures.some(isTooManyRequests));
    if (hasAnswer) await this.poller.recordAccess(token, kind, { ok: true });
    if (this.lease.heldToken() === token) this.faults.pollSucceeded(kind, unusable);
  }

  private async onPollFailure(kind: MarketInterface, token: FencingToken, error: unknown): Promise<void> {
    const failures = listFailures(error).filter((failure) => !(failure instanceof StoppingError));
    const faults = this.recordPollFailures(kind, token, failures);
    this.pause(kind, failures, isMarketFailure(error));
    const [failure] = failures.flatMap((each, index) => accessFailure(each, faults[index]) ?? []);
    // A failure of the bridge itself says nothing about the operator.
    if (failure === undefined) return;
    this.lastFailures.set(kind, failure);
    await this.recordAccessFailure(kind, token, failure);
  }

  private pause(kind: MarketInterface, failures: readonly unknown[], isMarketFailure: boolean): void {
    const consecutiveFailures = isMarketFailure ? (this.marketFailures.get(kind) ?? 0) + 1 : 0;
    this.marketFailures.set(kind, consecutiveFailures);
    const pauseMs = pauseAfterFailure({
      retryAfterMs: maxRetryAfterMs(failures),
      consecutiveFailures,
      intervalMs: this.intervals[kind],
      random: Math.random(),
    });
    this.pausedUntil.set(kind, Date.now() + pauseMs);
  }

  private async recordAccessFailure(
    kind: MarketInterface,
    token: FencingToken,
    failure: AccessFailure,
  ): Promise<void> {
    try {
      await this.poller.recordAccess(token, kind, { ok: false, ...failure });
    } catch (error) {
      this.countFailure(kind, error);
      this.failures.failed(kind, error);
    }
  }

  private recordFailures(kind: MarketInterface, failures: readonly unknown[]): void {
    for (const failure of failures) {
      this.countFailure(kind, failure);
      this.failures.failed(kind, failure);
    }
  }

  /** Counts each failure. One that is a fault of the participant has its log line there. @returns the fault of each failure */
  private recordPollFailures(
    kind: MarketInterface,
    token: FencingToken,
    failures: readonly unknown[],
  ): readonly (ClassifiedFailure | undefined)[] {
    const leads = this.lease.heldToken() === token && failures.length > 0;
    const faults = leads ? this.faults.pollFailed(kind, failures) : [];
    failures.forEach((failure, index) => {
      this.countFailure(kind, failure);
      const fault = faults[index];
      if (fault === undefined) this.failures.failed(kind, failure);
      // The fault began when the certificate expired. The refusal is another fact.
      else if (fault.reason === 'certificate-expired')
        this.failures.failed(kind, new ExpiredCertificateError(fault.detail, { cause: failure }));
    });
    return faults;
  }

  private recordLeaseFailure(error: unknown): void {
    this.countFailure('lease', error);
    this.failures.failed('lease', error);
  }

  private countFailure(activity: MarketInterface | 'lease', error: unknown): void {
    this.metrics.failures.inc({ poll: activity, kind: error instanceof Error ? error.name : 'unknown' });
  }
}
