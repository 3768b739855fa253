import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { pauseAfter } from './domain/pause.js';
import { StoppingError, failuresOf, isMarketTrouble, longestRetryAfter } from './poll-failures.js';
import { FailureLog } from './failure-log.js';
import type { FencingToken, Lease } from './lease/lease.js';
import { PollerMetrics } from './poller-metrics.js';
import { Poll } from './poll.js';
import type { Settings } from './settings.js';

type Activity = 'prudential' | 'settlement';
const ACTIVITIES: readonly Activity[] = ['prudential', 'settlement'];

/** Injection token of a function that makes the lease, given whom to tell of changes. */
export const OPEN_LEASE = Symbol('OPEN_LEASE');
export type OpenLease = (listeners: {
  onChange: (held: boolean) => void;
  onError: (error: unknown) => void;
}) => Lease;

/**
 * When to poll: at fixed intervals, at once on taking the lead, only while leading, never two of a kind at the same time. A failed poll is
 * counted and logged, and the next one comes at its time, or when the pause is over that the operator asked for or its outage calls for.
 */
@Injectable()
export class PollSchedule implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly lease: Lease;
  private readonly failures: FailureLog;
  private readonly running = new Map<Activity, Promise<void>>();
  private readonly pausedUntil = new Map<Activity, number>();
  private readonly marketFailures = new Map<Activity, number>();
  private readonly intervals: Readonly<Record<Activity, number>>;
  private stopping = false;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly registry: SchedulerRegistry,
    private readonly metrics: PollerMetrics,
    private readonly poll: Poll,
    @Inject(OPEN_LEASE) openLease: OpenLease,
  ) {
    this.intervals = {
      prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
      settlement: settings.POLL_SETTLEMENT_INTERVAL_MS,
    };
    this.failures = new FailureLog(log);
    this.lease = openLease({
      onChange: (held) => this.leadChanged(held),
      onError: (error) => this.failed('lease', error),
    });
  }

  onApplicationBootstrap(): void {
    for (const activity of ACTIVITIES)
      this.registry.addInterval(
        activity,
        setInterval(() => this.fire(activity), this.intervals[activity]),
      );
    this.lease.start();
  }

  /** No new poll from here on. The first of the steps down, before those that wait for the budget are sent away. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** What is being asked for is brought to its end; then the lease goes back, so that another replica takes over at once. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const activity of ACTIVITIES)
      if (this.registry.doesExist('interval', activity)) this.registry.deleteInterval(activity);
    await Promise.all(this.running.values());
    await this.lease.stop().catch((error: unknown) => this.failed('lease', error));
  }

  private leadChanged(held: boolean): void {
    this.metrics.leader.set(held ? 1 : 0);
    this.log.info({ leader: held }, held ? 'took the lease: polling' : 'without the lease: standing by');
    this.failures.succeeded('lease');
    if (held) for (const activity of ACTIVITIES) this.fire(activity);
  }

  private fire(activity: Activity): void {
    const term = this.lease.held();
    if (term === undefined || this.stopping) return;
    if (this.running.has(activity)) {
      this.metrics.skipped.inc({ poll: activity, reason: 'still-running' });
      return;
    }
    if (Date.now() < (this.pausedUntil.get(activity) ?? 0)) {
      this.metrics.skipped.inc({ poll: activity, reason: 'pause' });
      return;
    }
    const run = this.run(activity, term).finally(() => this.running.delete(activity));
    this.running.set(activity, run);
  }

  private async run(activity: Activity, term: FencingToken): Promise<void> {
    this.metrics.polls.inc({ poll: activity });
    try {
      await this.poll[activity](term, () => !this.stopping && this.lease.held() === term);
      this.metrics.lastSuccess.set({ poll: activity }, Date.now() / 1_000);
      this.marketFailures.delete(activity);
      this.failures.succeeded(activity);
    } catch (error) {
      const failures = failuresOf(error).filter((failure) => !(failure instanceof StoppingError));
      for (const failure of failures) this.failed(activity, failure);
      const inARow = isMarketTrouble(error) ? (this.marketFailures.get(activity) ?? 0) + 1 : 0;
      this.marketFailures.set(activity, inARow);
      const pauseMs = pauseAfter({
        askedForMs: longestRetryAfter(failures),
        inARow,
        intervalMs: this.intervals[activity],
        random: Math.random(),
      });
      this.pausedUntil.set(activity, Date.now() + pauseMs);
    }
  }

  private failed(activity: Activity | 'lease', error: unknown): void {
    const kind = error instanceof Error ? error.name : 'unknown';
    this.metrics.failures.inc({ poll: activity, kind });
    this.failures.failed(activity, error);
  }
}
