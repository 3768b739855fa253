import { MARGIN_LEVELS, MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { toInstant } from '@ssb/market';
import type { Gauge } from '@ssb/platform';
import type { PresentPosition } from '../detection/position/present-position.js';
import { METRICS } from '../metrics.js';
import type { ObservedBudget, PollerMetrics } from './poller-metrics.js';
import type { countPublications } from '../polls/saved-settlement.js';

/** The metrics of one participant. */
export class ParticipantMetrics {
  private isLeader = false;
  private readLease: () => boolean = () => this.isLeader;
  /** Latest success by interface, epoch milliseconds. */
  private readonly succeededAt = new Map<MarketInterface, number>();
  private readonly budgets = new Map<MarketInterface, ObservedBudget>();

  constructor(
    readonly participant: string,
    /** The metrics without participants. */
    readonly shared: PollerMetrics,
  ) {
    const metrics = shared;
    metrics.add(this);
    for (const poll of MARKET_INTERFACES) {
      // `increase()` counts the first increment only after a 0.
      metrics.polls.inc({ participant, poll }, 0);
      for (const reason of METRICS.skipped.labels.reason)
        metrics.skipped.inc({ participant, poll, reason }, 0);
      metrics.requests.inc({ participant, interface: poll }, 0);
      metrics.requestsDelayed.inc({ participant, interface: poll }, 0);
    }
  }

  pollStarted(poll: MarketInterface): void {
    this.shared.polls.inc({ participant: this.participant, poll });
  }

  pollSkipped(poll: MarketInterface, reason: (typeof METRICS.skipped.labels.reason)[number]): void {
    this.shared.skipped.inc({ participant: this.participant, poll, reason });
  }

  countFailure(poll: MarketInterface | 'lease', kind: string): void {
    this.shared.failures.inc({ participant: this.participant, poll, kind });
  }

  requestAdmitted(name: MarketInterface): void {
    this.shared.requests.inc({ participant: this.participant, interface: name });
  }

  requestDelayed(name: MarketInterface): void {
    this.shared.requestsDelayed.inc({ participant: this.participant, interface: name });
  }

  /** @param budget of the interface */
  observeBudget(name: MarketInterface, budget: ObservedBudget): void {
    this.budgets.set(name, budget);
  }

  /** @param isHeld whether the lease is held at this moment; it ends by the clock, also while Redis does not respond */
  observeLease(isHeld: () => boolean): void {
    this.readLease = isHeld;
  }

  holdsLease(): boolean {
    return this.readLease();
  }

  /** The budgets that this replica uses. */
  shownBudgets(): readonly (readonly [MarketInterface, ObservedBudget])[] {
    return this.isLeader ? [...this.budgets] : [];
  }

  lastSuccess(poll: MarketInterface): number | undefined {
    return this.succeededAt.get(poll);
  }

  /** A replica without the lease does not show what only the leader knows. */
  setLeader(held: boolean): void {
    this.isLeader = held;
    if (!held) this.removeLeaderValues();
  }

  /** The participant is no longer polled here. Its counters stay. */
  remove(): void {
    this.isLeader = false;
    this.removeLeaderValues();
    this.shared.forget(this);
  }

  // A poll may end after the lease, so these methods ignore what a former leader reports.

  /** @param at also of an earlier leader; ignored when a later success is known */
  showSuccess(poll: MarketInterface, at: Date): void {
    const time = at.getTime();
    if (!this.isLeader || time <= (this.succeededAt.get(poll) ?? 0)) return;
    this.succeededAt.set(poll, time);
    this.shared.lastSuccess.set({ participant: this.participant, poll }, time / 1_000);
  }

  /** The latest actual calculation. An amount that it lacks is absent. */
  showPosition(position: PresentPosition | undefined): void {
    if (!this.isLeader || position === undefined) return;
    const { participant, shared: metrics } = this;
    const { tradingMargin, outstandingAmount, thresholds, level: current, calculatedAt } = position;
    const show = (gauge: Gauge, labels: Readonly<Record<string, string>>, amount: string | undefined): void =>
      amount === undefined ? gauge.remove(labels) : gauge.set(labels, Number(amount));
    show(metrics.tradingMargin, { participant }, tradingMargin);
    show(metrics.outstandingAmount, { participant }, outstandingAmount);
    show(metrics.marginThreshold, { participant, level: 'WARNING' }, thresholds?.warning);
    show(metrics.marginThreshold, { participant, level: 'BREACHED' }, thresholds?.breach);
    for (const level of MARGIN_LEVELS)
      metrics.marginLevel.set({ participant, level }, level === current ? 1 : 0);
    metrics.lastCalculation.set({ participant }, toInstant(calculatedAt).getTime() / 1_000);
  }

  /** @param at RFC 3339; undefined before the first poll */
  showFirstPoll(at: string | undefined): void {
    if (!this.isLeader || at === undefined) return;
    this.shared.firstPoll.set({ participant: this.participant }, Date.parse(at) / 1_000);
  }

  showPublications(counts: ReturnType<typeof countPublications>): void {
    if (!this.isLeader) return;
    const { participant, shared: metrics } = this;
    for (const document of METRICS.publications.labels.document)
      for (const state of METRICS.publications.labels.state)
        metrics.publications.set({ participant, document, state }, counts[document][state]);
  }

  /** @param since of the document that is missing for longest */
  showMissingDocuments(count: number, since: Date | undefined): void {
    if (!this.isLeader) return;
    const { participant, shared: metrics } = this;
    metrics.documentsMissing.set({ participant }, count);
    if (since === undefined) metrics.documentMissingSince.remove({ participant });
    else metrics.documentMissingSince.set({ participant }, since.getTime() / 1_000);
  }

  private removeLeaderValues(): void {
    const { participant, shared: metrics } = this;
    this.succeededAt.clear();
    for (const poll of MARKET_INTERFACES) metrics.lastSuccess.remove({ participant, poll });
    for (const gauge of [
      metrics.tradingMargin,
      metrics.outstandingAmount,
      metrics.lastCalculation,
      metrics.firstPoll,
      metrics.documentsMissing,
      metrics.documentMissingSince,
    ])
      gauge.remove({ participant });
    for (const level of METRICS.marginThreshold.labels.level)
      metrics.marginThreshold.remove({ participant, level });
    for (const level of MARGIN_LEVELS) metrics.marginLevel.remove({ participant, level });
    for (const document of METRICS.publications.labels.document)
      for (const state of METRICS.publications.labels.state)
        metrics.publications.remove({ participant, document, state });
  }
}
