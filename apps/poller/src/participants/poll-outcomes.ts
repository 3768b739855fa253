import type { DetectionSettings } from '@ssb/config';
import type { MarketInterface } from '@ssb/events';
import type { Logger } from '@ssb/platform';
import { accessFailure, type AccessFailure } from '../detection/market-access.js';
import type { ClassifiedFailure } from '../faults/failure-classification.js';
import { FailureLog } from '../faults/failure-log.js';
import type { ParticipantFaults } from '../faults/participant-faults.js';
import type { Throttling } from '../faults/throttling.js';
import type { Lease } from '../lease/lease.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import { AccessRecorder } from '../polls/access-recorder.js';
import {
  ExpiredCertificateError,
  isMarketFailure,
  isTooManyRequests,
  isUnusableResponse,
  listFailures,
  StoppingError,
} from '../polls/poll-failures.js';
import { timerIntervals } from '../polls/poll-intervals.js';
import type { PrudentialPoll } from '../polls/prudential-poll.js';
import type { PollResult } from '../polls/responses.js';
import type { Settings } from '../settings.js';
import type { DetectionRecorder } from '../polls/detection-recorder.js';
import type { UnreadableLog } from '../polls/unreadable-log.js';
import { FencedOffError, type FencingToken } from '../state/poller-keys.js';
import type { PollerStateStore } from '../state/poller-state-store.js';
import { PollPauses } from './poll-pauses.js';

export interface PollOutcomesDependencies {
  readonly participant: string;
  readonly settings: Settings;
  readonly detection: () => DetectionSettings;
  readonly lease: Lease;
  readonly store: PollerStateStore;
  readonly recorder: DetectionRecorder;
  readonly unreadableLog: UnreadableLog;
  readonly faults: ParticipantFaults;
  readonly prudential: Pick<PrudentialPoll, 'recordFailure'>;
  readonly now: () => Date;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/** Records what the polls of a participant say about the operator: access, faults, and pauses before the next polls. */
export class PollOutcomes {
  private readonly failureLog: FailureLog;
  private readonly pauses: PollPauses;
  private readonly access: AccessRecorder;
  /** The failure of each interface whose last request failed. */
  private readonly lastFailures = new Map<MarketInterface, AccessFailure>();

  constructor(private readonly dependencies: PollOutcomesDependencies) {
    const { settings, detection, log } = dependencies;
    this.access = new AccessRecorder({ ...dependencies, settings: detection });
    this.failureLog = new FailureLog(log);
    this.pauses = new PollPauses(timerIntervals(settings));
  }

  /** The lease was acquired. */
  restart(): void {
    this.lastFailures.clear();
  }

  isPaused(name: MarketInterface): boolean {
    return this.pauses.isPaused(name);
  }

  /** The allowed time of an outage, or of the position, may end during the pause. */
  async recordPause(name: MarketInterface, token: FencingToken): Promise<void> {
    await this.recordFailedPoll(name, token, this.lastFailures.get(name));
  }

  async recordResult(name: MarketInterface, token: FencingToken, result: PollResult): Promise<void> {
    try {
      const isUndecided = !result.hasUsableResponse && result.failures.length > 0;
      await (isUndecided
        ? this.recordUndecided(name, token, result)
        : this.recordSuccess(name, token, result));
    } catch (error) {
      // The operator responded, and Redis failed.
      this.logFailures(name, [error]);
    }
  }

  async recordFailure(name: MarketInterface, token: FencingToken, error: unknown): Promise<void> {
    const failures = listFailures(error).filter((failure) => !(failure instanceof StoppingError));
    const throttling = this.pauses.pause(name, failures, isMarketFailure(error));
    const faults = this.reportFailures(name, token, failures, throttling);
    const [failure] = failures.flatMap((each, index) => accessFailure(each, faults[index]) ?? []);
    if (failure !== undefined) this.lastFailures.set(name, failure);
    if (failures.length > 0 && !(error instanceof FencedOffError))
      await this.recordFailedPoll(name, token, failure);
  }

  /** Single documents failed, and the operator responded recently. */
  private async recordUndecided(
    name: MarketInterface,
    token: FencingToken,
    result: PollResult,
  ): Promise<void> {
    const { faults } = this.dependencies;
    const { failures } = result;
    this.logFailures(name, failures);
    const throttling = this.pauses.pause(name, failures, failures.some(isTooManyRequests));
    if (this.leads(token)) faults.pollUndecided(name, result, throttling);
    if (!failures.some(isUnusableResponse)) return;
    // The operator gave access.
    this.lastFailures.delete(name);
    await this.access.record(token, name, { ok: true, isUsable: false });
  }

  private async recordSuccess(name: MarketInterface, token: FencingToken, result: PollResult): Promise<void> {
    const { store, faults, metrics, now } = this.dependencies;
    const { hasUsableResponse, failures } = result;
    // A poll without a request does not end the failure of an earlier one.
    if (!hasUsableResponse && this.lastFailures.has(name)) return;
    this.lastFailures.delete(name);
    const succeededAt = now();
    await store.saveLastSuccess(token, name, succeededAt);
    metrics.showSuccess(name, succeededAt);
    if (failures.length === 0) this.failureLog.succeeded(name);
    this.logFailures(name, failures);
    const throttling = this.pauses.pause(name, failures, failures.some(isTooManyRequests));
    if (hasUsableResponse) await this.access.record(token, name, { ok: true, isUsable: true });
    if (this.leads(token)) faults.pollSucceeded(name, result, throttling);
  }

  /** @param failure undefined for a failure of the bridge itself, which says nothing about the operator */
  private async recordFailedPoll(
    name: MarketInterface,
    token: FencingToken,
    failure: AccessFailure | undefined,
  ): Promise<void> {
    try {
      if (failure !== undefined) await this.access.record(token, name, { ok: false, ...failure });
      if (name === 'prudential') await this.dependencies.prudential.recordFailure(token);
    } catch (error) {
      this.logFailures(name, [error]);
    }
  }

  /** Counts each failure. The fault of the participant that a failure shows has its own log line. @returns the fault of each failure */
  private reportFailures(
    name: MarketInterface,
    token: FencingToken,
    failures: readonly unknown[],
    throttling: Throttling | undefined,
  ): readonly (ClassifiedFailure | undefined)[] {
    const reports = this.leads(token) && failures.length > 0;
    const faults = reports ? this.dependencies.faults.pollFailed(name, failures, throttling) : [];
    failures.forEach((failure, index) => {
      this.countFailure(name, failure);
      const fault = faults[index];
      if (fault === undefined) this.failureLog.failed(name, failure);
      // The fault began when the certificate expired. The refusal is another fact.
      else if (fault.reason === 'certificate-expired')
        this.failureLog.failed(name, new ExpiredCertificateError(fault.detail, { cause: failure }));
    });
    return faults;
  }

  private logFailures(name: MarketInterface, failures: readonly unknown[]): void {
    for (const failure of failures) {
      this.countFailure(name, failure);
      this.failureLog.failed(name, failure);
    }
  }

  private countFailure(name: MarketInterface, error: unknown): void {
    this.dependencies.metrics.countFailure(name, error instanceof Error ? error.name : 'unknown');
  }

  private leads(token: FencingToken): boolean {
    return this.dependencies.lease.heldToken() === token;
  }
}
