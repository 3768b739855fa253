import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { FailureLog } from './failure-log.js';
import { Lease, type FencingToken } from './lease/lease.js';
import {
  isMarketFailure,
  listFailures,
  maxRetryAfterMs,
  pauseAfterFailure,
  StoppingError,
} from './poll-failures.js';
import { Poller } from './poll.js';
import { PollerMetrics } from './poller-metrics.js';
import type { Settings } from './settings.js';

type PollKind = 'prudential' | 'settlement';
const POLL_KINDS: readonly PollKind[] = ['prudential', 'settlement'];

/** Starts polls at fixed intervals while this replica holds the lease. Polls of one kind never overlap, and pause after repeated failures. */
@Injectable()
export class PollScheduler implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly failures: FailureLog;
  private readonly running = new Map<PollKind, Promise<void>>();
  private readonly pausedUntil = new Map<PollKind, number>();
  private readonly marketFailures = new Map<PollKind, number>();
  private readonly intervals: Readonly<Record<PollKind, number>>;
  private stopping = false;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly registry: SchedulerRegistry,
    private readonly metrics: PollerMetrics,
    private readonly poller: Poller,
    private readonly lease: Lease,
  ) {
    this.intervals = {
      prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
      settlement: settings.POLL_SETTLEMENT_INTERVAL_MS,
    };
    this.failures = new FailureLog(log);
  }

  onApplicationBootstrap(): void {
    for (const kind of POLL_KINDS)
      this.registry.addInterval(
        kind,
        setInterval(() => this.startPoll(kind), this.intervals[kind]),
      );
    this.lease.start({
      onChange: (held) => this.onLeaseChange(held),
      onError: (error) => this.recordFailure('lease', error),
    });
  }

  /** Starts no more polls. Runs before the module's own hook, which rejects requests that wait for the budget. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** Completes running polls, then releases the lease, so that another replica takes over at once. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const kind of POLL_KINDS)
      if (this.registry.doesExist('interval', kind)) this.registry.deleteInterval(kind);
    await Promise.all(this.running.values());
    await this.lease.stop().catch((error: unknown) => this.recordFailure('lease', error));
  }

  private onLeaseChange(held: boolean): void {
    this.metrics.leader.set(held ? 1 : 0);
    this.log.info({ leader: held }, held ? 'lease acquired' : 'lease ended');
    this.failures.succeeded('lease');
    if (held) for (const kind of POLL_KINDS) this.startPoll(kind);
  }

  private startPoll(kind: PollKind): void {
    const token = this.lease.heldToken();
    if (token === undefined || this.stopping) return;
    if (this.running.has(kind)) {
      this.metrics.skipped.inc({ poll: kind, reason: 'still-running' });
      return;
    }
    if (Date.now() < (this.pausedUntil.get(kind) ?? 0)) {
      this.metrics.skipped.inc({ poll: kind, reason: 'pause' });
      return;
    }
    const run = this.runPoll(kind, token).finally(() => this.running.delete(kind));
    this.running.set(kind, run);
  }

  private async runPoll(kind: PollKind, token: FencingToken): Promise<void> {
    this.metrics.polls.inc({ poll: kind });
    try {
      await this.poll(kind, token);
      this.metrics.lastSuccess.set({ poll: kind }, Date.now() / 1_000);
      this.marketFailures.delete(kind);
      this.failures.succeeded(kind);
    } catch (error) {
      const failures = listFailures(error).filter((failure) => !(failure instanceof StoppingError));
      for (const failure of failures) this.recordFailure(kind, failure);
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

  private poll(kind: PollKind, token: FencingToken): Promise<void> {
    switch (kind) {
      case 'prudential':
        return this.poller.pollPrudential(token);
      case 'settlement':
        return this.poller.pollSettlement(token, () => !this.stopping && this.lease.heldToken() === token);
      default:
        return kind satisfies never;
    }
  }

  private recordFailure(activity: PollKind | 'lease', error: unknown): void {
    const kind = error instanceof Error ? error.name : 'unknown';
    this.metrics.failures.inc({ poll: activity, kind });
    this.failures.failed(activity, error);
  }
}
