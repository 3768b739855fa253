import { randomBytes } from 'node:crypto';
import { createMarginEvent, type DetectedEvent, type Detection } from '@ssb/events';
import { addDays, toMarketDateTime, toMarketDate } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { EventQueue } from '@ssb/queue';
import { decideMargin, readPrudentialSummary, type MarginState, type Thresholds } from './domain/margin.js';
import { invoiceEvent, statementEvent, type SettlementEvent } from './domain/settlement-events.js';
import {
  fetchKey,
  pendingFetches,
  selectFetches,
  type SettlementFetch,
} from './domain/settlement-fetches.js';
import { forEachConcurrently } from './for-each-concurrently.js';
import type { FencingToken } from './lease/lease.js';
import type { PollerStateStore } from './lease/poller-state.js';
import type { MarketClients } from './market/market-clients.js';
import { FetchesFailedError, maxRetryAfterMs, UnusableAnswerError } from './poll-failures.js';
import type { PollerMetrics } from './poller-metrics.js';

const MAX_CONCURRENT_FETCHES = 4;

export interface PollerDependencies {
  readonly participant: string;
  readonly thresholds: Thresholds;
  readonly lookbackDays: number;
  readonly lookaheadDays: number;
  readonly fetchesPerPoll: number;
  readonly market: Pick<MarketClients, 'prudential' | 'settlement'>;
  readonly state: PollerStateStore;
  readonly queue: EventQueue;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
  readonly now?: () => Date;
}

/**
 * Polls the market: fetch, compare with the saved state, enqueue new events, then save the state. After a crash, the next poll detects the
 * same events again, with the same event ids.
 */
export class Poller {
  /** When each pending statement or invoice was last requested, epoch milliseconds. */
  private readonly lastFetchedAt = new Map<string, number>();
  private readonly now: () => Date;

  constructor(private readonly dependencies: PollerDependencies) {
    this.now = dependencies.now ?? (() => new Date());
  }

  /** Fetches the latest calculation, decides the margin level, and enqueues an event when the level changed. */
  async prudential(token: FencingToken): Promise<void> {
    const { participant, thresholds, market, state } = this.dependencies;
    const previous = await this.loadMargin(token);
    const summary = await market.prudential.latestPrudentialSummary();
    if (summary === undefined) return;
    const detection = this.newDetection();
    const result = readPrudentialSummary(participant, summary);
    if (!result.ok) throw new UnusableAnswerError('prudential summary', result.reason);
    const decision = decideMargin(previous, result.reading, thresholds, detection.detectedAt);
    if (decision.kind === 'known') return;
    const margin = decision.state;
    if (decision.kind === 'changed') {
      const { previousLevel } = decision;
      const fact = { participant, ...result.reading, level: margin.level, previousLevel, thresholds };
      const event = createMarginEvent(fact, detection);
      await state.saveMarginIntent(token, { margin, event });
      await this.enqueue(event);
    }
    await state.saveMargin(token, margin);
  }

  /** The saved margin. First enqueues an event that an earlier poller saved but may not have enqueued. */
  private async loadMargin(token: FencingToken): Promise<MarginState | undefined> {
    const { state } = this.dependencies;
    const { margin, intent } = await state.read();
    if (intent === undefined) return margin;
    await this.enqueue(intent.event);
    await state.saveMargin(token, intent.margin);
    return intent.margin;
  }

  /**
   * Fetches the timeline, then each statement and invoice that is due and not yet seen. Enqueues an event for each that is published.
   *
   * @param mayContinue called before each request for a statement or invoice; false once this replica has lost the lease
   */
  async settlement(token: FencingToken, mayContinue: () => boolean): Promise<void> {
    const { market, state, lookbackDays, lookaheadDays, fetchesPerPoll } = this.dependencies;
    const { seen } = await state.read();
    const today = toMarketDate(this.now());
    const timeline = await market.settlement.timeline(
      addDays(today, -lookbackDays),
      addDays(today, lookaheadDays),
    );
    if (timeline === undefined) return;
    const pending = pendingFetches(timeline, toMarketDateTime(this.now()), seen);
    const failures = await forEachConcurrently(
      selectFetches(pending, this.lastFetchedAt, fetchesPerPoll),
      MAX_CONCURRENT_FETCHES,
      (fetch) => this.fetchPublication(token, fetch),
      (soFar) => mayContinue() && maxRetryAfterMs(soFar) === 0,
    );
    if (failures.length > 0) throw new FetchesFailedError(failures);
  }

  private async fetchPublication(token: FencingToken, fetch: SettlementFetch): Promise<void> {
    const { metrics, state } = this.dependencies;
    const key = fetchKey(fetch);
    this.lastFetchedAt.set(key, this.now().getTime());
    const found = await (fetch.resource === 'statement'
      ? this.fetchStatement(fetch)
      : this.fetchInvoice(fetch));
    metrics.fetches.inc({ resource: fetch.resource, answer: found === undefined ? 'not-yet' : 'found' });
    if (found === undefined) return;
    if (!found.ok) throw new UnusableAnswerError(key, found.reason);
    await this.enqueue(found.event);
    await state.saveSeen(token, key, found.version);
    this.lastFetchedAt.delete(key);
  }

  private async fetchStatement(fetch: SettlementFetch): Promise<SettlementEvent | undefined> {
    const { participant, market } = this.dependencies;
    const { marketService, periodFrom, designation } = fetch;
    const response = await market.settlement.statement(marketService, periodFrom, designation);
    return response && statementEvent(participant, fetch, response, this.newDetection());
  }

  private async fetchInvoice(fetch: SettlementFetch): Promise<SettlementEvent | undefined> {
    const { participant, market } = this.dependencies;
    const { marketService, periodFrom, designation } = fetch;
    const response = await market.settlement.invoice(marketService, periodFrom, designation);
    return response && invoiceEvent(participant, fetch, response, this.newDetection());
  }

  private async enqueue(event: DetectedEvent): Promise<void> {
    const { queue, metrics, log } = this.dependencies;
    const { id: eventId, type: eventType, subject, time: publishedAt, detectedat: detectedAt } = event;
    const fields = { eventId, eventType, subject, publishedAt, detectedAt };
    log.debug({ step: 'detected', ...fields }, 'event detected');
    await queue.enqueue([event]);
    log.info({ step: 'queued', ...fields }, 'event queued');
    metrics.events.inc({ type: eventType });
  }

  private newDetection(): Detection {
    return { detectedAt: this.now(), traceparent: newTraceparent() };
  }
}

/** Starts a new sampled trace for each event (W3C Trace Context, "traceparent", version 00). */
function newTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}
