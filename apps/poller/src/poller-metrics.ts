import { Inject, Injectable } from '@nestjs/common';
import { MARGIN_LEVELS, type MarketInterface } from '@ssb/events';
import { toInstant } from '@ssb/market';
import { type Gauge, Metrics, type ScrapeReading, secondsSince, SETTINGS } from '@ssb/platform';
import type { BudgetWindow } from '@ssb/request-budget';
import type { PresentPosition } from './detection/position/position-state.js';
import type { countPublications } from './polls/saved-settlement.js';
import { METRICS } from './metrics.js';

type BudgetUsage = BudgetWindow & { readonly used: number };

/** The request budget of one interface. */
interface Budget {
  readonly windows: readonly BudgetWindow[];
  readonly usage: ScrapeReading<readonly BudgetUsage[]>;
}

/** The poller's own metrics. */
@Injectable()
export class PollerMetrics {
  private readonly participant: string;
  private readonly leader;
  private isLeader = false;
  /** Latest success by interface, epoch milliseconds. */
  private readonly succeededAt = new Map<MarketInterface, number>();
  readonly polls;
  readonly skipped;
  readonly failures;
  readonly fetches;
  readonly unreadable;
  readonly detected;
  private readonly queued;
  private readonly detectedToQueued;
  readonly summarised;
  readonly records;
  readonly recordBytes;
  readonly recordsRemoved;
  readonly recordsRefused;
  readonly requests;
  readonly requestsDelayed;
  readonly unknownProperties;
  private readonly lastSuccess;
  private readonly tradingMargin;
  private readonly outstandingAmount;
  private readonly marginThreshold;
  private readonly marginLevel;
  private readonly lastCalculation;
  private readonly publications;
  private readonly budgets = new Map<MarketInterface, Budget>();

  constructor(metrics: Metrics, @Inject(SETTINGS) { PARTICIPANT }: { readonly PARTICIPANT: string }) {
    this.participant = PARTICIPANT;
    this.leader = metrics.gauge(METRICS.leader);
    this.polls = metrics.counter(METRICS.polls);
    this.skipped = metrics.counter(METRICS.skipped);
    this.failures = metrics.counter(METRICS.failures);
    this.fetches = metrics.counter(METRICS.fetches);
    this.unreadable = metrics.counter(METRICS.unreadable);
    this.detected = metrics.counter(METRICS.detected);
    this.queued = metrics.counter(METRICS.events);
    this.detectedToQueued = metrics.histogram(METRICS.detectedToQueued);
    this.summarised = metrics.counter(METRICS.summarised);
    this.records = metrics.gauge(METRICS.records);
    this.recordBytes = metrics.gauge(METRICS.recordBytes);
    this.recordsRemoved = metrics.counter(METRICS.recordsRemoved);
    this.recordsRefused = metrics.counter(METRICS.recordsRefused);
    this.requests = metrics.counter(METRICS.requests);
    this.requestsDelayed = metrics.counter(METRICS.requestsDelayed);
    this.unknownProperties = metrics.counter(METRICS.unknownProperties);
    this.lastSuccess = metrics.gauge(METRICS.lastSuccess);
    metrics.gauge(METRICS.budgetLimit, (gauge) => {
      gauge.reset();
      for (const [name, { windows }] of this.shownBudgets())
        for (const { ms, requests } of windows)
          gauge.set({ interface: name, window: windowLabel(ms) }, requests);
    });
    metrics.gauge(METRICS.budgetUsed, async (gauge) => {
      const reads = this.shownBudgets().map(async ([name, { usage }]) => ({
        name,
        found: await usage.get(),
      }));
      const budgets = await Promise.all(reads);
      gauge.reset();
      for (const { name, found = [] } of budgets)
        for (const { ms, used } of found) gauge.set({ interface: name, window: windowLabel(ms) }, used);
    });
    this.tradingMargin = metrics.gauge(METRICS.tradingMargin);
    this.outstandingAmount = metrics.gauge(METRICS.outstandingAmount);
    this.marginThreshold = metrics.gauge(METRICS.marginThreshold);
    this.marginLevel = metrics.gauge(METRICS.marginLevel);
    this.lastCalculation = metrics.gauge(METRICS.lastCalculation);
    this.publications = metrics.gauge(METRICS.publications);
    this.leader.set({ participant: PARTICIPANT }, 0);
  }

  /** @param usage of the interface's budget */
  observeBudget(
    name: MarketInterface,
    windows: readonly BudgetWindow[],
    usage: ScrapeReading<readonly BudgetUsage[]>,
  ): void {
    this.budgets.set(name, { windows, usage });
  }

  private shownBudgets(): readonly (readonly [MarketInterface, Budget])[] {
    return this.isLeader ? [...this.budgets] : [];
  }

  /** A replica without the lease does not show what only the leader knows. */
  setLeader(held: boolean): void {
    this.isLeader = held;
    this.leader.set({ participant: this.participant }, held ? 1 : 0);
    if (held) return;
    this.succeededAt.clear();
    for (const gauge of [this.lastSuccess, this.tradingMargin, this.outstandingAmount, this.marginThreshold])
      gauge.reset();
    for (const gauge of [this.marginLevel, this.lastCalculation, this.publications]) gauge.reset();
  }

  countQueued({ type, detectedat }: { readonly type: string; readonly detectedat: string }): void {
    this.queued.inc({ type });
    this.detectedToQueued.observe(secondsSince(Date.parse(detectedat)));
  }

  // A poll may end after the lease, so these methods ignore what a former leader reports.

  /** @param at also of an earlier leader; ignored when a later success is known */
  showSuccess(poll: MarketInterface, at: Date): void {
    const time = at.getTime();
    if (!this.isLeader || time <= (this.succeededAt.get(poll) ?? 0)) return;
    this.succeededAt.set(poll, time);
    this.lastSuccess.set({ participant: this.participant, poll }, time / 1_000);
  }

  /** The latest actual calculation. An amount that it lacks is absent. */
  showPosition(position: PresentPosition | undefined): void {
    if (!this.isLeader || position === undefined) return;
    const { participant } = this;
    const { tradingMargin, outstandingAmount, thresholds, level: current, calculatedAt } = position;
    const show = (gauge: Gauge, labels: Readonly<Record<string, string>>, amount: string | undefined): void =>
      amount === undefined ? gauge.remove(labels) : gauge.set(labels, Number(amount));
    show(this.tradingMargin, { participant }, tradingMargin);
    show(this.outstandingAmount, { participant }, outstandingAmount);
    show(this.marginThreshold, { participant, level: 'WARNING' }, thresholds?.warning);
    show(this.marginThreshold, { participant, level: 'BREACHED' }, thresholds?.breach);
    for (const level of MARGIN_LEVELS)
      this.marginLevel.set({ participant, level }, level === current ? 1 : 0);
    this.lastCalculation.set({ participant }, toInstant(calculatedAt).getTime() / 1_000);
  }

  showPublications(counts: ReturnType<typeof countPublications>): void {
    if (!this.isLeader) return;
    const { participant } = this;
    for (const document of ['statement', 'invoice'] as const)
      for (const state of ['due', 'published'] as const)
        this.publications.set({ participant, document, state }, counts[document][state]);
  }
}

function windowLabel(ms: number): string {
  return `${ms / 1_000}s`;
}
