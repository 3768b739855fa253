import type { SchedulerRegistry } from '@nestjs/schedule';
import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import type { Logger } from '@ssb/platform';
import { accessFailure, type AccessFailure } from './detection/market-access.js';
import { momentIn, spreadOf } from './detection/schedule/intervals.js';
import type { ClassifiedFailure } from './domain/failure-classification.js';
import type { Throttling } from './domain/throttling.js';
import { FailureLog } from './failure-log.js';
import type { BackfillRunner } from './backfill/backfill-runner.js';
import type { FutureCalculationFaults } from './future-calculation-faults.js';
import type { Heartbeats } from './heartbeats.js';
import type { FencingToken, Lease } from './lease/lease.js';
import type { ParticipantFaults } from './participant-faults.js';
import type { ParticipantMetrics } from './participant-metrics.js';
import {
  ExpiredCertificateError,
  isMarketFailure,
  isTooManyRequests,
  isUnusableResponse,
  listFailures,
  StoppingError,
} from './poll-failures.js';
import { PollPauses } from './poll-pauses.js';
import type { Poller } from './poll.js';
import type { PollResult } from './polls/poll-result.js';
import { maxPollMs, PollProgress } from './poll-progress.js';
import type { Settings } from './settings.js';
import { FencedOffError } from './state/poller-keys.js';
import type { PollerStateStore } from './state/poller-state.js';

export interface PollSchedulerOptions {
  readonly participant: string;
  readonly settings: Settings;
  readonly registry: SchedulerRegistry;
  readonly poller: Poller;
  readonly lease: Lease;
  readonly state: PollerStateStore;
  readonly faults: ParticipantFaults;
  readonly futureCalculations: Pick<FutureCalculationFaults, 'leaseLost'>;
  readonly heartbeats: Heartbeats;
  readonly backfill: BackfillRunner;
  readonly now: () => Date;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/**
 * Starts the polls of one participant at fixed intervals while this replica holds its lease. Polls of one kind never overlap, and pause after
 * repeated failures.
 */
export class PollScheduler {
  private readonly failures: FailureLog;
  private readonly running = new Map<MarketInterface, Promise<void>>();
  /** By the clock of `performance`. */
  private readonly pauses: PollPauses;
  /** The failure of each interface whose last request failed. */
  private readonly lastFailures = new Map<MarketInterface, AccessFailure>();
  private readonly intervals: Readonly<Record<MarketInterface, number>>;
  private readonly progress: PollProgress;
  private stopping = false;

  constructor(private readonly options: PollSchedulerOptions) {
    const { settings, log } = options;
    this.intervals = {
      prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
      settlement: settings.POLL_SETTLEMENT_INTERVAL_MS,
    };
    this.pauses = new PollPauses(this.intervals);
    this.failures = new FailureLog(log);
    this.progress = new PollProgress({
      prudential: maxPollMs('prudential', settings),
      settlement: maxPollMs('settlement', settings),
    });
  }

  /**
   * Participants poll at different moments of an interval, so that many of them are no burst. Only the first poll and the heartbeats follow
   * the lease at once.
   */
  start(): void {
    const { registry, participant, lease, metrics } = this.options;
    metrics.observeLease(() => lease.heldToken() !== undefined);
    for (const kind of MARKET_INTERFACES) {
      const name = this.timerName(kind);
      const repeat = (): void => {
        registry.deleteTimeout(name);
        registry.addInterval(
          name,
          setInterval(() => this.startPoll(kind), this.intervals[kind]),
        );
        this.startPoll(kind);
      };
      const offset = momentIn(this.intervals[kind], spreadOf(`${participant}|${kind}`));
      registry.addTimeout(name, setTimeout(repeat, offset));
    }
    lease.start({
      onChange: (held) => this.onLeaseChange(held),
      onError: (error) => this.recordLeaseFailure(error),
    });
  }

  /** Starts no more polls. */
  stopPolls(): void {
    this.stopping = true;
  }

  /** Completes running polls, then releases the lease, so that another replica takes over at once. */
  async stop(): Promise<void> {
    this.stopping = true;
    const { registry, heartbeats, backfill, lease } = this.options;
    for (const kind of MARKET_INTERFACES) {
      const name = this.timerName(kind);
      if (registry.doesExist('timeout', name)) registry.deleteTimeout(name);
      if (registry.doesExist('interval', name)) registry.deleteInterval(name);
    }
    await Promise.all([...this.running.values(), heartbeats.stop(), backfill.stop()]);
    await lease.stop().catch((error: unknown) => this.recordLeaseFailure(error));
  }

  /** Whether a poll or heartbeat is in progress, so that the lease cannot be handed over without a delay. */
  isBusy(): boolean {
    return this.running.size > 0 || this.options.heartbeats.isBusy();
  }

  /** @throws Error when a poll loop does not run although this replica holds the lease */
  assertProgress(): void {
    if (this.options.lease.heldToken() !== undefined && !this.stopping) this.progress.require();
  }

  private timerName(kind: MarketInterface): string {
    return `${kind} ${this.options.participant}`;
  }

  private onLeaseChange(held: boolean): void {
    const { metrics, log, faults, futureCalculations, heartbeats, backfill, lease } = this.options;
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
    this.lastFailures.clear();
    faults.leaseAcquired();
    heartbeats.start(() => lease.heldToken());
    backfill.start(() => lease.heldToken());
    for (const kind of MARKET_INTERFACES) this.startPoll(kind);
  }

  private startPoll(kind: MarketInterface): void {
    const token = this.options.lease.heldToken();
    if (token === undefined || this.stopping) return;
    this.options.faults.check();
    if (this.running.has(kind)) {
      this.options.metrics.pollSkipped(kind, 'still-running');
      return;
    }
    if (this.pauses.isPaused(kind)) {
      this.options.metrics.pollSkipped(kind, 'pause');
      this.progress.record(kind);
      // The allowed time of an outage, or of the position, may end during the pause.
      this.run(kind, this.recordFailedPoll(kind, token, this.lastFailures.get(kind)));
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
  }

  private async runPoll(kind: MarketInterface, token: FencingToken): Promise<void> {
    this.options.metrics.pollStarted(kind);
    const mayContinue = (): boolean => !this.stopping && this.options.lease.heldToken() === token;
    let result: PollResult;
    try {
      result = await this.options.poller.poll(kind, token, mayContinue);
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
    const { hasUsableResponse, failures } = result;
    if (!hasUsableResponse && failures.length > 0) {
      // Single documents failed, and the operator answered recently.
      this.recordFailures(kind, failures);
      const throttling = this.pauses.pause(kind, failures, failures.some(isTooManyRequests));
      if (this.options.lease.heldToken() === token)
        this.options.faults.pollUndecided(kind, result, throttling);
      if (!failures.some(isUnusableResponse)) return;
      // The operator gave access.
      this.lastFailures.delete(kind);
      await this.options.poller.recordAccess(token, kind, { ok: true, isUsable: false });
      return;
    }
    // A poll without a request does not end the failure of an earlier one.
    if (!hasUsableResponse && this.lastFailures.has(kind)) return;
    this.lastFailures.delete(kind);
    const succeededAt = this.options.now();
    await this.options.state.saveLastSuccess(token, kind, succeededAt);
    this.options.metrics.showSuccess(kind, succeededAt);
    if (failures.length === 0) this.failures.succeeded(kind);
    // Other requests of the poll were answered.
    this.recordFailures(kind, failures);
    const throttling = this.pauses.pause(kind, failures, failures.some(isTooManyRequests));
    if (hasUsableResponse) await this.options.poller.recordAccess(token, kind, { ok: true, isUsable: true });
    if (this.options.lease.heldToken() === token) this.options.faults.pollSucceeded(kind, result, throttling);
  }

  private async onPollFailure(kind: MarketInterface, token: FencingToken, error: unknown): Promise<void> {
    const failures = listFailures(error).filter((failure) => !(failure instanceof StoppingError));
    const throttling = this.pauses.pause(kind, failures, isMarketFailure(error));
    const faults = this.recordPollFailures(kind, token, failures, throttling);
    const [failure] = failures.flatMap((each, index) => accessFailure(each, faults[index]) ?? []);
    if (failure !== undefined) this.lastFailures.set(kind, failure);
    if (failures.length > 0 && !(error instanceof FencedOffError))
      await this.recordFailedPoll(kind, token, failure);
  }

  /** @param failure undefined for a failure of the bridge itself, which says nothing about the operator */
  private async recordFailedPoll(
    kind: MarketInterface,
    token: FencingToken,
    failure: AccessFailure | undefined,
  ): Promise<void> {
    const { poller } = this.options;
    try {
      if (failure !== undefined) await poller.recordAccess(token, kind, { ok: false, ...failure });
      await poller.recordFailure(token, kind);
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
    throttling: Throttling | undefined,
  ): readonly (ClassifiedFailure | undefined)[] {
    const leads = this.options.lease.heldToken() === token && failures.length > 0;
    const faults = leads ? this.options.faults.pollFailed(kind, failures, throttling) : [];
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
    this.options.metrics.countFailure(activity, error instanceof Error ? error.name : 'unknown');
  }
}
