import { createMarginEvent, type DetectedEvent, type Detection } from '@ssb/events';
import { addDays, toMarketDateTime, toMarketDate } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { EventQueue } from '@ssb/queue';
import { eventAttributes, startSpan, startTrace, type RootSpan } from '@ssb/tracing';
import { decideMargin, decideMarginAgain, readPrudentialSummary, type Thresholds } from './domain/margin.js';
import type { PendingMarginChange } from './domain/saved-margin.js';
import { invoiceEvent, statementEvent, type SettlementEvent } from './domain/settlement-events.js';
import {
  countPublications,
  fetchKey,
  pendingFetches,
  selectFetches,
  type SettlementFetch,
} from './domain/settlement-fetches.js';
import type { LargeStatements } from './records/large-statements.js';
import { forEachConcurrently } from './for-each-concurrently.js';
import type { FencingToken } from './lease/lease.js';
import type { MarketClients } from './market/market-clients.js';
import {
  FetchesFailedError,
  isUnusableAnswer,
  maxRetryAfterMs,
  UnusableAnswerError,
} from './poll-failures.js';
import type { PollerMetrics } from './poller-metrics.js';
import type { PollerStateStore } from './state/poller-state.js';

const MAX_CONCURRENT_FETCHES = 4;

type UsableEvent = Extract<SettlementEvent, { ok: true }>;

export interface PollerDependencies {
  readonly participant: string;
  readonly thresholds: Thresholds;
  readonly lookbackDays: number;
  readonly lookaheadDays: number;
  readonly fetchesPerPoll: number;
  readonly market: Pick<MarketClients, 'prudential' | 'settlement'>;
  readonly state: PollerStateStore;
  readonly largeStatements: LargeStatements;
  readonly queue: EventQueue;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
}

/**
 * Polls the market: fetches, compares with the saved state, queues events, then saves the state. After a crash, an interrupted margin
 * change is completed, and publications are detected again under the same ids.
 */
export class Poller {
  /** When each pending statement or invoice was last requested, epoch milliseconds. */
  private readonly lastFetchedAt = new Map<string, number>();
  /** The latest unusable answer for each pending statement or invoice. */
  private readonly unusable = new Map<string, Error>();

  constructor(private readonly dependencies: PollerDependencies) {}

  /** Fetches the latest calculation and queues an event when the margin's level changed. */
  async pollPrudential(token: FencingToken): Promise<void> {
    const { participant, thresholds, market, state, metrics } = this.dependencies;
    const saved = await state.readMargin(token);
    // An earlier poller stopped before it had saved the new margin.
    if (saved.pendingChange !== undefined) await this.completeMarginChange(token, saved.pendingChange);
    const previous = saved.pendingChange?.margin ?? saved.margin;
    if (previous !== undefined) metrics.showSavedMargin(previous);
    const requestedAt = new Date();
    const summary = await market.prudential.latestPrudentialSummary();
    if (summary === undefined) return;
    const detectedAt = new Date();
    const reading = readPrudentialSummary(participant, summary);
    if (!reading.ok) throw new UnusableAnswerError('prudential summary', reading.reason);
    const decide = saved.isAltered ? decideMarginAgain : decideMargin;
    const decision = decide(previous, reading.figures, thresholds, detectedAt);
    const { level = 'OK' } = decision.kind === 'not-newer' ? (previous ?? {}) : decision.state;
    metrics.showMargin(reading.figures, level, thresholds);
    if (decision.kind === 'not-newer') return;
    const margin = decision.state;
    if (decision.kind === 'unchanged') return state.saveMargin(token, margin);
    const { previousLevel } = decision;
    const fact = { participant, ...reading.figures, level: margin.level, previousLevel, thresholds };
    const trace = new DetectionTrace(requestedAt, detectedAt);
    const change = { margin, event: trace.finish(createMarginEvent(fact, trace.detection)) };
    await state.savePendingChange(token, change);
    await this.completeMarginChange(token, change);
  }

  /** Queues the event of a saved change, then saves the margin. Repeatable. */
  private async completeMarginChange(
    token: FencingToken,
    { margin, event }: PendingMarginChange,
  ): Promise<void> {
    await this.enqueue(event);
    await this.dependencies.state.saveMargin(token, margin);
  }

  /**
   * Fetches the timeline, then the statements and invoices that are due and not yet seen. Queues an event for each that is published.
   *
   * @param mayContinue called before each request for a statement or invoice; false once this replica has lost the lease
   * @returns the failures of statements and invoices whose answers could not be used
   * @throws FetchesFailedError when there were other failures
   */
  async pollSettlement(token: FencingToken, mayContinue: () => boolean): Promise<readonly Error[]> {
    const { market, state, lookbackDays, lookaheadDays, fetchesPerPoll, metrics } = this.dependencies;
    const seen = new Set(await state.readSeen(token));
    const today = toMarketDate(new Date());
    const timeline = await market.settlement.timeline(
      addDays(today, -lookbackDays),
      addDays(today, lookaheadDays),
    );
    if (timeline === undefined) return [];
    const now = toMarketDateTime(new Date());
    const pending = pendingFetches(timeline, now, seen);
    this.forgetOthers(pending);
    const failures = await forEachConcurrently(
      selectFetches(pending, this.lastFetchedAt, fetchesPerPoll),
      MAX_CONCURRENT_FETCHES,
      async (fetch) => {
        if (await this.fetchPublication(token, fetch)) seen.add(fetchKey(fetch));
      },
      (failures) => mayContinue() && maxRetryAfterMs(failures) === 0,
    );
    metrics.showPublications(countPublications(timeline, now, seen));
    if (!failures.every(isUnusableAnswer)) throw new FetchesFailedError(failures);
    return failures;
  }

  /** Answers for statements and invoices that could not be used, and that were not replaced by usable ones since. */
  unusableAnswers(): readonly Error[] {
    return [...this.unusable.values()];
  }

  private forgetOthers(pending: readonly SettlementFetch[]): void {
    const keys = new Set(pending.map(fetchKey));
    for (const map of [this.lastFetchedAt, this.unusable])
      for (const key of map.keys()) if (!keys.has(key)) map.delete(key);
  }

  /** @returns whether it is published */
  private async fetchPublication(token: FencingToken, fetch: SettlementFetch): Promise<boolean> {
    const { metrics, state } = this.dependencies;
    const key = fetchKey(fetch);
    this.lastFetchedAt.set(key, Date.now());
    const found = await this.fetchEvent(fetch).catch((error: unknown) => {
      if (isUnusableAnswer(error)) this.unusable.set(key, error);
      throw error;
    });
    this.unusable.delete(key);
    metrics.fetches.inc({ resource: fetch.resource, answer: found === undefined ? 'not-yet' : 'found' });
    if (found === undefined) return false;
    await this.enqueue(found.event);
    await state.saveSeen(token, key, found.version);
    this.lastFetchedAt.delete(key);
    return true;
  }

  /** The event of a published statement or invoice; undefined before its publication. @throws UnusableAnswerError */
  private async fetchEvent(fetch: SettlementFetch): Promise<UsableEvent | undefined> {
    const found = await (fetch.resource === 'statement'
      ? this.fetchStatement(fetch)
      : this.fetchInvoice(fetch));
    if (found?.ok === false) throw new UnusableAnswerError(fetchKey(fetch), found.reason);
    return found;
  }

  private async fetchStatement(fetch: SettlementFetch): Promise<SettlementEvent | undefined> {
    const { participant, market, largeStatements } = this.dependencies;
    const { marketService, periodFrom, designation } = fetch;
    const requestedAt = new Date();
    const response = await market.settlement.statement(marketService, periodFrom, designation);
    if (response === undefined) return undefined;
    const trace = new DetectionTrace(requestedAt);
    const found = trace.finish(statementEvent(participant, fetch, response, trace.detection));
    return found.ok ? { ...found, event: await largeStatements.fit(found.event, response) } : found;
  }

  private async fetchInvoice(fetch: SettlementFetch): Promise<SettlementEvent | undefined> {
    const { participant, market } = this.dependencies;
    const { marketService, periodFrom, designation } = fetch;
    const requestedAt = new Date();
    const response = await market.settlement.invoice(marketService, periodFrom, designation);
    if (response === undefined) return undefined;
    const trace = new DetectionTrace(requestedAt);
    return trace.finish(invoiceEvent(participant, fetch, response, trace.detection));
  }

  private async enqueue(event: DetectedEvent): Promise<void> {
    const { queue, metrics, log } = this.dependencies;
    const { id: eventId, type: eventType, subject, time: factTime, detectedat: detectedAt } = event;
    const fields = { eventId, eventType, subject, factTime, detectedAt };
    metrics.detected.inc({ type: eventType });
    log.debug({ step: 'detected', ...fields }, 'event detected');
    const attributes = eventAttributes(event);
    const span = startSpan('event enqueue', { kind: 'producer', parent: event.traceparent, attributes });
    await span.during(queue.enqueue([event]), 'queued');
    log.info({ step: 'queued', ...fields }, 'event queued');
    metrics.countQueued(event);
  }
}

/** The root span of an event: from the request to the market until the event exists. One without an event is never sent. */
class DetectionTrace {
  readonly detection: Detection;
  private readonly span: RootSpan;

  constructor(requestedAt: Date, detectedAt = new Date()) {
    this.span = startTrace('event detect', { startTime: requestedAt });
    this.detection = { detectedAt, traceparent: this.span.traceparent };
  }

  finish<Result extends DetectedEvent | SettlementEvent>(result: Result): Result {
    if (!('ok' in result)) this.span.succeed('detected', eventAttributes(result));
    else if (result.ok) this.span.succeed('detected', eventAttributes(result.event));
    return result;
  }
}
