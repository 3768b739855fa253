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
import { FailureLog } from './failure-log.js';
import { Heartbeats } from './heartbeats.js';
import { Lease, type FencingToken } from './lease/lease.js';
import { ParticipantFaults } from './participant-faults.js';
import {
  ExpiredCertificateError,
  isMarketFailure,
  listFailures,
  maxRetryAfterMs,
  pauseAfterFailure,
  StoppingError,
} from './poll-failures.js';
import { Poller } from './poll.js';
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
      return;
    }
    this.progress.record(kind);
    const run = this.runPoll(kind, token).finally(() => this.onPollEnd(kind));
    this.running.set(kind, run);
  }

  private onPollEnd(kind: MarketInterface): void {
    this.running.delete(kind);
    this.progress.record(kind);
    // An answer may have arrived after the end of the lease.
    if (this.lease.heldToken() === undefined) this.clock.forget(OPERATOR_CLOCKS);
  }

  private async runPoll(kind: MarketInterface, token: FencingToken): Promise<void> {
    this.metrics.polls.inc({ poll: kind });
    try {
      const unusable = await this.poll(kind, token);
      const succeededAt = new Date();
      await this.state.saveLastSuccess(token, kind, succeededAt);
      this.metrics.showSuccess(kind, succeededAt);
      this.recordSuccess(kind, token, unusable);
    } catch (error) {
      const failures = listFailures(error).filter((failure) => !(failure instanceof StoppingError));
      this.recordPollFailures(kind, token, failures);
      const consecutiveFailures = isMarketFailure(error) ? (this.marketFailures.get(kind) ?? 0) + 1 : 0;
      this.marketFailures.set(kind, consecutiveFailures);
      const pauseMs = pauseAfterFailure({
        retryAfterMs: maxRetryAfterMs(failures),
        consecutiveFailures,
        intervalMs: this.intervals[kind],
        random: Math.random(),
      });
      this.pausedUntil.set(kind, Date.now() + pauseMs);
    }
  }

  /** @returns the failures of single statements and invoices whose answers could not be used */
  private async poll(kind: MarketInterface, token: FencingToken): Promise<readonly Error[]> {
    switch (kind) {
      case 'prudential':
        await this.poller.pollPrudential(token);
        return [];
      case 'settlement':
        return this.poller.pollSettlement(token, () => !this.stopping && this.lease.heldToken() === token);
      default:
        return kind satisfies never;
    }
  }

  private recordSuccess(kind: MarketInterface, token: FencingToken, unusable: readonly Error[]): void {
    this.marketFailures.delete(kind);
    this.failures.succeeded(kind);
    for (const { name } of unusable) this.metrics.failures.inc({ poll: kind, kind: name });
    if (this.lease.heldToken() !== token) return;
    this.faults.pollSucceeded(kind, kind === 'settlement' ? this.poller.unusableAnswers() : []);
  }

  /** Counts each failure. One that is a fault of the participant has its log line there. */
  private recordPollFailures(kind: MarketInterface, token: FencingToken, failures: readonly unknown[]): void {
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
  }

  private recordLeaseFailure(error: unknown): void {
    this.countFailure('lease', error);
    this.failures.failed('lease', error);
  }

  private countFailure(activity: MarketInterface | 'lease', error: unknown): void {
    this.metrics.failures.inc({ poll: activity, kind: error instanceof Error ? error.name : 'unknown' });
  }
}
