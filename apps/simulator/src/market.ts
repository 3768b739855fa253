import {
  addDays,
  marketNow,
  marketToday,
  type MarketDate,
  type MarketDateTime,
  type SettlementCycleTimeline,
  type Trouble,
} from '@ssb/market';
import { CENTS, unitsOf } from './domain/amount.js';
import type { CalendarRun } from './domain/calendar.js';
import type { CreditBook } from './domain/position.js';
import { nextCalculationAt } from './domain/progress.js';
import {
  forecastPublication,
  invoicePublication,
  marginDetailsPublication,
  marginPublication,
  statementDetailsPublication,
  statementPublication,
  timelinePublication,
  type InvoiceWords,
  type RunOrder,
  type RunStamp,
} from './domain/publications.js';
import { designationBefore, runKey, type SettlementRun } from './domain/settlement-run.js';
import type { Clock } from './stage/clock.js';
import type { Publisher } from './stage/publisher.js';

/** How much stands behind the figures that are published. */
export interface Details {
  tradingDays: number;
  prudential: boolean;
}

export interface MarketParts {
  publisher: Publisher;
  book: CreditBook;
  details: Details;
  seed: string;
  clock: Clock;
}

/** What the market can do in a play, now. Each resolves once the records are in; each throws the abort reason on abort. */
export class Market {
  private readonly lastCalculations = new Map<string, Date>();
  private readonly revisions = new Map<string, number>();
  private lastRunId = 0;

  constructor(private readonly parts: MarketParts) {}

  get seed(): string {
    return this.parts.seed;
  }

  get today(): MarketDate {
    return marketToday(this.parts.clock.now());
  }

  announce(timeline: SettlementCycleTimeline, signal: AbortSignal): Promise<void> {
    return this.parts.publisher.publish(timelinePublication(timeline), signal);
  }

  /** A prudential calculation, with its details where the play has them. @param tradingMargin decimal string, AUD */
  async calculate(
    participant: string,
    tradingMargin: string,
    signal: AbortSignal,
    { tradingDay = this.today, details = this.parts.details.prudential } = {},
  ): Promise<void> {
    const { publisher, book, seed } = this.parts;
    const calculatedAt = this.calculationAt(participant);
    const order = {
      participant,
      calculatedAt,
      tradingDay,
      tradingMargin: unitsOf(tradingMargin, CENTS),
      book,
    };
    await publisher.publish(marginPublication(order), signal);
    if (details) await publisher.publish(marginDetailsPublication(order, seed), signal);
  }

  /** Forecasts for tomorrow and the days after it. @param margins decimal strings, AUD */
  forecast(participant: string, margins: readonly string[], signal: AbortSignal): Promise<void> {
    const coming = margins.map((margin, index) => ({
      tradingDay: addDays(this.today, index + 1),
      tradingMargin: unitsOf(margin, CENTS),
    }));
    const calculatedAt = this.calculationAt(participant);
    const { publisher, book } = this.parts;
    return publisher.publish(forecastPublication(participant, calculatedAt, coming, book), signal);
  }

  /** A stamp for a run that is published now; no two are the same. */
  stamp(): RunStamp {
    const now = this.parts.clock.now();
    // Seconds since 1970: later runs have higher ids, and the int32 of document 000 holds them until 2038.
    this.lastRunId = Math.max(Math.floor(now.getTime() / 1_000), this.lastRunId + 1);
    return { publishedAt: marketNow(now), runId: this.lastRunId };
  }

  /** From now on the run's figures are revised once more. */
  revise(run: SettlementRun): void {
    this.revisions.set(runKey(run), this.revisionOf(run) + 1);
  }

  /** The statement of a run, with its details where the play has them. */
  async state(participant: string, run: CalendarRun, stamp: RunStamp, signal: AbortSignal): Promise<void> {
    const { publisher, details } = this.parts;
    const order = this.order(participant, run, stamp);
    await publisher.publish(statementPublication(order), signal);
    if (details.tradingDays === 0) return;
    await publisher.publish(statementDetailsPublication(order, details.tradingDays), signal);
  }

  /** The invoice of a run, worked out from its statement's figures. */
  invoice(participant: string, run: CalendarRun, words: InvoiceWords, signal: AbortSignal): Promise<void> {
    const before = designationBefore(run.designation);
    const revisionBefore = before && this.revisionOf({ ...run, designation: before });
    // When its statement was published does not show on an invoice.
    const order = this.order(participant, run, { publishedAt: marketNow(this.parts.clock.now()), runId: 1 });
    return this.parts.publisher.publish(invoicePublication(order, { ...words, revisionBefore }), signal);
  }

  trouble(trouble: Trouble, signal: AbortSignal): Promise<void> {
    return this.parts.publisher.trouble(trouble, signal);
  }

  private order(participant: string, run: CalendarRun, stamp: RunStamp): RunOrder {
    return { participant, run, seed: this.seed, stamp, revision: this.revisionOf(run) };
  }

  private revisionOf(run: SettlementRun): number {
    return this.revisions.get(runKey(run)) ?? 0;
  }

  private calculationAt(participant: string): MarketDateTime {
    const at = nextCalculationAt(this.parts.clock.now(), this.lastCalculations.get(participant));
    this.lastCalculations.set(participant, at);
    return marketNow(at);
  }
}
