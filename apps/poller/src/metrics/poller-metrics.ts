import { Injectable } from '@nestjs/common';
import type { DocumentUsage } from '@ssb/documents';
import type { MarketInterface } from '@ssb/events';
import { Metrics, type ScrapeReading, secondsSince } from '@ssb/platform';
import type { BudgetWindow } from '@ssb/redis-queue';
import { METRICS } from '../metrics.js';

type BudgetUsage = BudgetWindow & { readonly used: number };

/** The request budget of one interface. */
export interface ObservedBudget {
  readonly windows: readonly BudgetWindow[];
  readonly usage: ScrapeReading<readonly BudgetUsage[]>;
}

/** A participant whose lease and budgets are shown. */
export interface ObservedParticipant {
  readonly participant: string;
  /** Whether this replica holds the lease at this moment. Reads no server. */
  holdsLease(): boolean;
  /** The budgets that this replica uses. */
  shownBudgets(): readonly (readonly [MarketInterface, ObservedBudget])[];
  /** When the last poll that succeeded ended, as far as this replica knows; epoch milliseconds. */
  lastSuccess(poll: MarketInterface): number | undefined;
}

/** The poller's own metrics. */
@Injectable()
export class PollerMetrics {
  private readonly participants = new Set<ObservedParticipant>();
  readonly polls;
  readonly skipped;
  readonly failures;
  readonly fetches;
  readonly unreadable;
  readonly detected;
  readonly backfilled;
  private readonly queued;
  private readonly detectedToQueued;
  readonly summarised;
  readonly revisionsWithoutChanges;
  readonly records;
  readonly recordBytes;
  readonly recordsRemoved;
  readonly recordsRefused;
  readonly documentsStored;
  readonly documentsRefused;
  readonly documentsGivenUp;
  readonly documentsRemoved;
  readonly documentStoreFailures;
  readonly documentsMissing;
  readonly documentMissingSince;
  private readonly documents;
  private readonly documentBytes;
  private readonly documentMaxBytes;
  private readonly oldestDocument;
  readonly requests;
  readonly requestsDelayed;
  readonly unknownProperties;
  readonly lastSuccess;
  readonly tradingMargin;
  readonly outstandingAmount;
  readonly marginThreshold;
  readonly marginLevel;
  readonly lastCalculation;
  readonly firstPoll;
  readonly publications;

  constructor(private readonly metrics: Metrics) {
    metrics.gauge(METRICS.leader, (gauge) => {
      gauge.reset();
      for (const each of this.participants)
        gauge.set({ participant: each.participant }, each.holdsLease() ? 1 : 0);
    });
    this.polls = metrics.counter(METRICS.polls);
    this.skipped = metrics.counter(METRICS.skipped);
    this.failures = metrics.counter(METRICS.failures);
    this.fetches = metrics.counter(METRICS.fetches);
    this.unreadable = metrics.counter(METRICS.unreadable);
    this.detected = metrics.counter(METRICS.detected);
    this.backfilled = metrics.counter(METRICS.backfilled);
    this.queued = metrics.counter(METRICS.events);
    this.detectedToQueued = metrics.histogram(METRICS.detectedToQueued);
    this.summarised = metrics.counter(METRICS.summarised);
    this.revisionsWithoutChanges = metrics.counter(METRICS.revisionsWithoutChanges);
    this.records = metrics.gauge(METRICS.records);
    this.recordBytes = metrics.gauge(METRICS.recordBytes);
    this.recordsRemoved = metrics.counter(METRICS.recordsRemoved);
    this.recordsRefused = metrics.counter(METRICS.recordsRefused);
    this.documentsStored = metrics.counter(METRICS.documentsStored);
    this.documentsRefused = metrics.counter(METRICS.documentsRefused);
    this.documentsGivenUp = metrics.counter(METRICS.documentsGivenUp);
    this.documentsRemoved = metrics.counter(METRICS.documentsRemoved);
    this.documentStoreFailures = metrics.counter(METRICS.documentStoreFailures);
    this.documentsMissing = metrics.gauge(METRICS.documentsMissing);
    this.documentMissingSince = metrics.gauge(METRICS.documentMissingSince);
    this.documents = metrics.gauge(METRICS.documents);
    this.documentBytes = metrics.gauge(METRICS.documentBytes);
    this.documentMaxBytes = metrics.gauge(METRICS.documentMaxBytes);
    this.oldestDocument = metrics.gauge(METRICS.oldestDocument);
    this.requests = metrics.counter(METRICS.requests);
    this.requestsDelayed = metrics.counter(METRICS.requestsDelayed);
    this.unknownProperties = metrics.counter(METRICS.unknownProperties);
    this.lastSuccess = metrics.gauge(METRICS.lastSuccess);
    metrics.gauge(METRICS.budgetLimit, (gauge) => {
      gauge.reset();
      for (const { participant, name, windows } of this.shownBudgets())
        for (const { ms, requests } of windows)
          gauge.set({ participant, interface: name, window: windowLabel(ms) }, requests);
    });
    metrics.gauge(METRICS.budgetUsed, async (gauge) => {
      const reads = this.shownBudgets().map(async ({ participant, name, usage }) => ({
        labels: { participant, interface: name },
        found: await usage.get(),
      }));
      const budgets = await Promise.all(reads);
      gauge.reset();
      for (const { labels, found = [] } of budgets)
        for (const { ms, used } of found) gauge.set({ ...labels, window: windowLabel(ms) }, used);
    });
    this.tradingMargin = metrics.gauge(METRICS.tradingMargin);
    this.outstandingAmount = metrics.gauge(METRICS.outstandingAmount);
    this.marginThreshold = metrics.gauge(METRICS.marginThreshold);
    this.marginLevel = metrics.gauge(METRICS.marginLevel);
    this.lastCalculation = metrics.gauge(METRICS.lastCalculation);
    this.firstPoll = metrics.gauge(METRICS.firstPoll);
    this.publications = metrics.gauge(METRICS.publications);
  }

  /** Shows the lease and the budgets of a participant too. */
  add(participant: ObservedParticipant): void {
    this.participants.add(participant);
  }

  /** The participants of this replica. */
  get observed(): readonly ObservedParticipant[] {
    return [...this.participants];
  }

  /** @param count of the replicas with the same participants */
  observeReplicas(count: () => number): void {
    this.metrics.gauge(METRICS.replicas, (gauge) => gauge.set(count()));
  }

  forget(participant: ObservedParticipant): void {
    this.participants.delete(participant);
  }

  countQueued({ type, detectedat }: { readonly type: string; readonly detectedat: string }): void {
    this.queued.inc({ type });
    this.detectedToQueued.observe(secondsSince(Date.parse(detectedat)));
  }

  showDocumentStore({ documents, bytes, oldest }: DocumentUsage, maxBytes: number): void {
    this.documents.set(documents);
    this.documentBytes.set(bytes);
    this.documentMaxBytes.set(maxBytes);
    if (oldest === undefined) this.oldestDocument.remove({});
    else this.oldestDocument.set(oldest.getTime() / 1_000);
  }

  /** The store could not be measured. */
  forgetDocumentStore(): void {
    for (const gauge of [this.documents, this.documentBytes, this.oldestDocument]) gauge.remove({});
  }

  private shownBudgets() {
    return [...this.participants].flatMap((each) =>
      each.shownBudgets().map(([name, budget]) => ({ participant: each.participant, name, ...budget })),
    );
  }
}

function windowLabel(ms: number): string {
  return `${ms / 1_000}s`;
}
