import { randomBytes } from 'node:crypto';
import { marginChanged, type DetectedEvent, type Detection } from '@ssb/events';
import { addDays, marketNow, marketToday } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { EventQueue } from '@ssb/queue';
import { eachBounded } from './for-each-concurrently.js';
import { askKey, chooseAsks, dueAsks, type Ask } from './domain/settlement-fetches.js';
import { invoiceEvent, type InvoiceVerdict } from './domain/invoices.js';
import { decideMargin, type MarginState, type Thresholds } from './domain/margin.js';
import { readPrudential } from './domain/prudential.js';
import { statementEvent, type StatementVerdict } from './domain/settlement-events.js';
import { newTraceparent } from './domain/traceparent.js';
import { AsksFailedError, longestRetryAfter, UnusableAnswerError } from './poll-failures.js';
import type { FencingToken } from './lease/lease.js';
import type { MarketEdge } from './market/market-clients.js';
import type { PollerMetrics } from './poller-metrics.js';
import type { PollerState } from './lease/poller-state.js';

/** How many statements and invoices are asked for at once. */
const ASKS_AT_ONCE = 4;

export interface PollParts {
  readonly participant: string;
  readonly thresholds: Thresholds;
  readonly lookbackDays: number;
  readonly lookaheadDays: number;
  readonly asksPerPoll: number;
  readonly market: Pick<MarketEdge, 'prudential' | 'settlement'>;
  readonly state: PollerState;
  readonly queue: EventQueue;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
  readonly now?: () => Date;
}

/**
 * What the poller does, again and again: ask, compare with what is remembered, put what is new on the queue, and only then remember it. Dying
 * anywhere in between means that the same facts are found again and get the same ids.
 */
export class Poll {
  private readonly lastAsked = new Map<string, number>();
  private readonly now: () => Date;

  constructor(private readonly parts: PollParts) {
    this.now = parts.now ?? (() => new Date());
  }

  /** The latest calculation → the margin's level → an event when it moved. */
  async prudential(term: FencingToken): Promise<void> {
    const { participant, thresholds, market, state } = this.parts;
    const remembered = await this.rememberedMargin(term);
    const summary = await market.prudential.latestPrudentialSummary();
    if (summary === undefined) return;
    const detection = this.detection();
    const verdict = readPrudential(participant, summary);
    if (!verdict.ok) throw new UnusableAnswerError('prudential summary', verdict.reason);
    const decision = decideMargin(remembered, verdict.reading, thresholds, detection.detectedAt);
    if (decision.kind === 'known') return;
    const margin = decision.state;
    if (decision.kind === 'moved') {
      const { previousLevel } = decision;
      const fact = { participant, ...verdict.reading, level: margin.level, previousLevel, thresholds };
      const event = marginChanged(fact, detection);
      await state.intendMargin(term, { margin, event });
      await this.queue(event);
    }
    await state.rememberMargin(term, margin);
  }

  /** The margin last known; what a poller that died had announced is brought to its end first. */
  private async rememberedMargin(term: FencingToken): Promise<MarginState | undefined> {
    const { state } = this.parts;
    const { margin, intent } = await state.read();
    if (intent === undefined) return margin;
    await this.queue(intent.event);
    await state.rememberMargin(term, intent.margin);
    return intent.margin;
  }

  /**
   * The timeline → what is due and unseen → each statement and invoice that is there → an event.
   *
   * @param mayGoOn asked before each request for a statement or invoice: whether this replica still leads
   */
  async settlement(term: FencingToken, mayGoOn: () => boolean): Promise<void> {
    const { market, state, lookbackDays, lookaheadDays, asksPerPoll } = this.parts;
    const { seen } = await state.read();
    const today = marketToday(this.now());
    const timeline = await market.settlement.timeline(
      addDays(today, -lookbackDays),
      addDays(today, lookaheadDays),
    );
    if (timeline === undefined) return;
    const due = dueAsks(timeline, marketNow(this.now()), seen);
    const asks = chooseAsks(due, this.lastAsked, asksPerPoll);
    const failures = await eachBounded(
      asks,
      ASKS_AT_ONCE,
      (ask) => this.ask(term, ask),
      (soFar) => mayGoOn() && longestRetryAfter(soFar) === 0,
    );
    if (failures.length > 0) throw new AsksFailedError(failures);
  }

  private async ask(term: FencingToken, ask: Ask): Promise<void> {
    const { metrics, state } = this.parts;
    this.lastAsked.set(askKey(ask), this.now().getTime());
    const found = await (ask.resource === 'statement' ? this.statement(ask) : this.invoice(ask));
    metrics.asks.inc({ resource: ask.resource, answer: found === undefined ? 'not-yet' : 'found' });
    if (found === undefined) return;
    if (!found.ok) throw new UnusableAnswerError(askKey(ask), found.reason);
    await this.queue(found.event);
    await state.rememberSeen(term, askKey(ask), found.version);
    this.lastAsked.delete(askKey(ask));
  }

  private async statement(ask: Ask): Promise<StatementVerdict | undefined> {
    const { participant, market } = this.parts;
    const answer = await market.settlement.statement(ask.marketService, ask.periodFrom, ask.designation);
    return answer && statementEvent(participant, ask, answer, this.detection());
  }

  private async invoice(ask: Ask): Promise<InvoiceVerdict | undefined> {
    const { participant, market } = this.parts;
    const answer = await market.settlement.invoice(ask.marketService, ask.periodFrom, ask.designation);
    return answer && invoiceEvent(participant, ask, answer, this.detection());
  }

  private async queue(event: DetectedEvent): Promise<void> {
    const { queue, metrics } = this.parts;
    this.tell('detected', event);
    await queue.enqueue([event]);
    this.tell('queued', event);
    metrics.events.inc({ type: event.type });
  }

  private tell(step: 'detected' | 'queued', event: DetectedEvent): void {
    const { id, type, subject, time, detectedat } = event;
    this.parts.log.info(
      { step, eventId: id, eventType: type, subject, publishedAt: time, detectedAt: detectedat },
      `event ${step}`,
    );
  }

  private detection(): Detection {
    return { detectedAt: this.now(), traceparent: newTraceparent(randomBytes(24)) };
  }
}
