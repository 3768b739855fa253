import type { DetectedEvent, EventType, Fact, MarketInterface } from '@ssb/events';
import { addDays, dateOf, toMarketDate, type MarketDate, type PrudentialCalculation } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import type { DetectionContext, LeftOut, Unreadable } from '../detection/detection.js';
import { digestInvoice } from '../detection/digest.js';
import { describeFutureCalculation } from '../detection/position/future-calculations.js';
import { detectPositions } from '../detection/position/detect-positions.js';
import { listUnannounced } from '../detection/position/unannounced.js';
import { detectEstimation } from '../detection/settlement/detect-estimation.js';
import { detectInvoice } from '../detection/settlement/detect-invoice.js';
import { detectStatement } from '../detection/settlement/detect-statement.js';
import {
  DocumentStoreFailedError,
  type DocumentFetcher,
  type WantedInvoice,
} from '../documents/document-fetcher.js';
import { readTimeline } from '../detection/timeline/read-timeline.js';
import { earlierRun, type SettlementRun } from '../detection/settlement/runs.js';
import type { MarketClients } from '../market/market-clients.js';
import { describeLeftOut, toUnreadable } from '../polls/responses.js';
import type { LargeStatements } from '../records/large-statements.js';
import type { BackfillStep } from './backfill-steps.js';

/** Facts of the operator's records. Other facts follow from the time of a poll, and cannot be raised later. */
const BACKFILLED_TYPES: ReadonlySet<EventType> = new Set([
  'settlementbus.statement.published.v1',
  'settlementbus.invoice.issued.v1',
  'settlementbus.invoice.adjusted.v1',
  'settlementbus.invoice.discrepancy.v1',
  'settlementbus.invoice.document-stored.v1',
  'settlementbus.estimation.published.v1',
  'settlementbus.position.calculated.v1',
  'settlementbus.margin.warning.v1',
  'settlementbus.margin.breached.v1',
  'settlementbus.margin.restored.v1',
  'settlementbus.credit-support.short.v1',
  'settlementbus.credit-support.restored.v1',
]);

/** The level at the start of a range follows from the calculations before it. */
const DAYS_BEFORE_RANGE = 14;
/** A level in the range can be withdrawn by a later calculation, within the longest `margin.minDuration` of 7 days and 3 days more. */
const DAYS_AFTER_RANGE = 10;
/** The invoice day of a run comes at most this long after its statement day. */
const MAX_INVOICE_DELAY_DAYS = 90;

export interface BackfillDetectionsDependencies {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  readonly now: () => Date;
  readonly market: Pick<MarketClients, 'prudential' | 'settlement'>;
  readonly largeStatements: Pick<LargeStatements, 'fit'>;
  /** Undefined with DOCUMENT_STORE=none. */
  readonly fetcher?: Pick<DocumentFetcher, 'fetch'> | undefined;
}

/** Resolves when the next request to an interface may be sent. */
export type BeforeRequest = (name: MarketInterface) => Promise<void>;

/** The runs that the timeline lists, and what of it cannot be read. */
export interface RunsReading {
  readonly runs: readonly SettlementRun[];
  readonly unreadable: readonly Unreadable[];
}

/** The facts of the responses of a step. */
export interface StepResult {
  readonly facts: readonly Fact[];
  readonly unreadable: readonly Unreadable[];
  /** Changes an event before it is raised, because it may be too large for its channel. */
  readonly fit?: (event: DetectedEvent, onLeftOut: (leftOut: LeftOut) => void) => Promise<DetectedEvent>;
}

type DetectedStep = StepResult & { readonly invoice?: WantedInvoice | undefined };

/** Fetches the records of a step, and decides its facts with the detectors of the poller, but without a saved state. */
export class BackfillDetections {
  constructor(private readonly dependencies: BackfillDetectionsDependencies) {}

  /** The runs with a statement or invoice day in the range (operation 10). */
  async runs(from: MarketDate, to: MarketDate, beforeRequest: BeforeRequest): Promise<RunsReading> {
    await beforeRequest('settlement');
    const response = await this.dependencies.market.settlement.timeline(
      from,
      addDays(to, MAX_INVOICE_DELAY_DAYS),
    );
    const reading = readTimeline(
      response.value,
      response.unreadable.map(({ path }) => path),
    );
    const unreadable = [
      ...response.unreadable.map((item) => toUnreadable(item)),
      ...reading.unreadable,
      ...reading.contradictions,
    ];
    return { runs: reading.runs, unreadable };
  }

  /** Sends a small request, which shows whether the operator responds. @throws like every request */
  async probe(name: MarketInterface, beforeRequest: BeforeRequest): Promise<void> {
    const { market } = this.dependencies;
    const today = toMarketDate(this.dependencies.now());
    await beforeRequest(name);
    await (name === 'prudential'
      ? market.prudential.prudentialRange(today, today)
      : market.settlement.timeline(today, today));
  }

  /** @param storesDocuments false for a backfill that only lists its events */
  async run(step: BackfillStep, beforeRequest: BeforeRequest, storesDocuments = false): Promise<StepResult> {
    const detected = await this.detect(step, beforeRequest);
    const result = storesDocuments ? await this.addDocument(detected, beforeRequest) : detected;
    return { ...result, facts: result.facts.filter(({ type }) => BACKFILLED_TYPES.has(type)) };
  }

  /** The document of the invoice that a step found. Without it, the other facts are raised all the same. */
  private async addDocument(step: DetectedStep, beforeRequest: BeforeRequest): Promise<StepResult> {
    const { fetcher } = this.dependencies;
    const { invoice, facts, unreadable } = step;
    if (fetcher === undefined || invoice === undefined) return step;
    const noteMissing = (reason: string): StepResult => ({
      ...step,
      unreadable: [...unreadable, { path: 'document', reason }],
    });
    try {
      const result = await fetcher.fetch(invoice, {
        mayRequest: async () => {
          await beforeRequest('settlement');
          return true;
        },
        readDigest: () => this.readDigest(invoice),
        waits: true,
      });
      if (result.outcome === 'stored') return { ...step, facts: [...facts, result.fact] };
      if (result.outcome === 'replaced') return noteMissing('the invoice was replaced during the transfer');
      return result.outcome === 'missing' ? noteMissing(result.missing.detail) : step;
    } catch (error) {
      if (!(error instanceof DocumentStoreFailedError)) throw error;
      return noteMissing(error.message);
    }
  }

  /** At once, while the document is in memory. */
  private async readDigest({ figures }: WantedInvoice): Promise<string | undefined> {
    const { market, periodFrom, designation } = figures;
    const response = await this.dependencies.market.settlement.invoice(market, periodFrom, designation);
    return response && digestInvoice(response);
  }

  private async detect(step: BackfillStep, beforeRequest: BeforeRequest): Promise<DetectedStep> {
    const { market, largeStatements } = this.dependencies;
    switch (step.kind) {
      case 'calculations':
        return this.detectCalculations(step.from, step.to, beforeRequest);
      case 'statement': {
        const { marketService, periodFrom, designation } = step.run;
        await beforeRequest('settlement');
        const response = await market.settlement.statement(marketService, periodFrom, designation);
        const detected = detectStatement(undefined, step.run, response, this.context());
        return {
          ...detected,
          ...(response && { fit: (event, onLeftOut) => largeStatements.fit(event, response, onLeftOut) }),
        };
      }
      case 'invoice': {
        const response = await this.invoiceOf(step.run, beforeRequest);
        const earlier = response && earlierRun(step.run);
        const earlierResponse = earlier && (await this.invoiceOf(earlier, beforeRequest));
        const sums =
          earlierResponse &&
          detectInvoice(undefined, earlier, earlierResponse, undefined, this.context()).state.current?.figures
            .taxSums;
        const detected = detectInvoice(undefined, step.run, response, sums, this.context());
        return { ...detected, invoice: detected.state.current };
      }
      case 'estimation': {
        const { run, tradingDay } = step;
        await beforeRequest('settlement');
        const response = await market.settlement.statementEstimation(
          run.periodFrom,
          run.designation,
          tradingDay,
        );
        return detectEstimation(undefined, run, tradingDay, response, this.context());
      }
      default:
        return step satisfies never;
    }
  }

  /** The calculations around the days are read too, so that each range has the facts that one reading of all days has. */
  private async detectCalculations(
    from: MarketDate,
    to: MarketDate,
    beforeRequest: BeforeRequest,
  ): Promise<StepResult> {
    const firstDay = addDays(from, -DAYS_BEFORE_RANGE);
    await beforeRequest('prudential');
    const read = await this.dependencies.market.prudential.prudentialRange(
      firstDay,
      addDays(to, DAYS_AFTER_RANGE),
    );
    const detected = detectPositions(undefined, { firstDay, ...read }, this.context());
    const isOutside = ({ tradingDay }: PrudentialCalculation): boolean =>
      tradingDay !== undefined && !isBetween(dateOf(tradingDay), from, to);
    const outside = read.indexes.flatMap((index, place) => {
      const row = read.value[place];
      return row !== undefined && isOutside(row) ? [`data[${index}].`] : [];
    });
    const unreadable = [...read.unreadable.map((item) => toUnreadable(item)), ...detected.unreadable];
    const future = detected.future.filter(({ tradingDay }) => isBetween(dateOf(tradingDay), from, to));
    return {
      facts: detected.facts.filter((fact) => isOfDays(fact, from, to)),
      unreadable: [
        ...unreadable.filter(({ path }) => !outside.some((start) => path.startsWith(start))),
        ...future.map((each) => ({ path: '', reason: describeFutureCalculation(each) })),
        ...describeLeftOut('levels', listUnannounced(detected.state)).map((reason) => ({ path: '', reason })),
      ],
    };
  }

  private async invoiceOf(
    { marketService, periodFrom, designation }: SettlementRun,
    beforeRequest: BeforeRequest,
  ) {
    await beforeRequest('settlement');
    return this.dependencies.market.settlement.invoice(marketService, periodFrom, designation);
  }

  private context(): DetectionContext {
    const { participant, settings, now } = this.dependencies;
    return { participant, settings: settings(), now: now() };
  }
}

/** Whether the trading day of a fact lies in a range. */
function isOfDays({ data }: Fact, from: MarketDate, to: MarketDate): boolean {
  return isBetween('tradingDay' in data ? String(data.tradingDay).slice(0, 10) : '', from, to);
}

function isBetween(day: string, from: MarketDate, to: MarketDate): boolean {
  return day >= from && day <= to;
}
