import { addDays, dateOf, type MarketDate, type MarketDateTime } from '@ssb/market';
import type { BulkLine } from '@ssb/market/admin';
import { buildInvoice, type InvoiceInput } from './invoice.js';
import { listTradingDays } from '../calendar/period.js';
import {
  type Calculation,
  buildPrudentialCalculation,
  buildPrudentialDetail,
  buildPrudentialEstimation,
} from './prudential.js';
import type { BookChanges, CreditBook } from '../scenario/fields.js';
import type { Details } from '../scenario/scenario.js';
import { getAdjustedRun, runKey, type SettlementRun, buildTimeline } from '../calendar/settlement-run.js';
import {
  buildStatementDetail,
  buildStatementEstimation,
  buildStatementFigures,
  buildStatement,
} from './statement.js';

/** Records that are loaded together or not at all. */
export interface Publication {
  kind: string;
  /** The subject of the bridge's event, or a description for the log. */
  subject: string;
  lines: readonly BulkLine[];
}

/** Time and id of a published run. */
export interface RunStamp {
  publishedAt: MarketDateTime;
  runId: number;
}

export interface CalculationOptions {
  /** Whether its detail and estimation are published too; by default as the scenario says. */
  withDetails?: boolean;
  /** Figures that differ from the scenario's book. */
  changes?: BookChanges;
}

/** Builds everything that the market publishes. The figures depend on seed, participant and document, not on the time. */
export class Publications {
  constructor(private readonly market: { seed: string; book: CreditBook; details: Details }) {}

  timeline(runs: readonly SettlementRun[]): Publication {
    const timeline = buildTimeline(runs);
    const subject = `${timeline.cycles?.length ?? 0} cycles`;
    return { kind: 'timeline', subject, lines: [{ kind: 'timelines', record: { timeline } }] };
  }

  /** A prudential calculation, with its detail (operation 3) and estimation (operation 4) if enabled. */
  calculation(
    calculation: Calculation,
    { withDetails = this.market.details.prudential, changes = {} }: CalculationOptions = {},
  ): Publication[] {
    const { seed } = this.market;
    const book = changeBook(this.market.book, changes);
    const { participant, tradingDay } = calculation;
    const subject = getPrudentialSubject(participant);
    const margin: Publication = { kind: 'margin', subject, lines: [buildCalculationLine(calculation, book)] };
    if (!withDetails) return [margin];
    const lines: BulkLine[] = [
      { kind: 'prudential-details', record: buildPrudentialDetail(calculation, book, seed) },
      { kind: 'prudential-estimations', record: buildPrudentialEstimation(calculation, seed) },
    ];
    return [margin, { kind: 'margin-details', subject: `${subject}/${tradingDay}`, lines }];
  }

  /** Forecasts for the days after the calculation. @param margins cents, one per day */
  forecast(participant: string, calculatedAt: MarketDateTime, margins: readonly bigint[]): Publication {
    const lines = margins.map((tradingMargin, index) => {
      const tradingDay = addDays(dateOf(calculatedAt), index + 1);
      const forecast = { participant, calculatedAt, tradingDay, tradingMargin, isForecast: true };
      return buildCalculationLine(forecast, this.market.book);
    });
    const subject = `${getPrudentialSubject(participant)}/forecast`;
    return { kind: 'forecast', subject, lines };
  }

  /** A statement, with details of its first days (operation 6) and estimations for NSTEM (operation 7). */
  statement(participant: string, run: SettlementRun, stamp: RunStamp): Publication[] {
    const { seed, details } = this.market;
    const statement = buildStatement({ participant, run, seed, ...stamp });
    const subject = `${participant}/${runKey(run)}`;
    const record: BulkLine = { kind: 'statements', record: { statement } };
    const published: Publication = { kind: 'statement', subject, lines: [record] };
    if (details.tradingDays === 0) return [published];
    const days = listTradingDays(run.period).slice(0, details.tradingDays);
    const lines = days.flatMap((day): BulkLine[] => {
      const detail: BulkLine = {
        kind: 'statement-details',
        record: { details: buildStatementDetail(statement, day, seed) },
      };
      if (statement.marketService !== 'NSTEM') return [detail];
      const estimation = { details: buildStatementEstimation(statement, day, seed) };
      return [detail, { kind: 'statement-estimations', record: estimation }];
    });
    return [published, { kind: 'statement-details', subject: `${subject}/details`, lines }];
  }

  /** The NSTEM estimation of one trading day (operation 7), with or without a statement. */
  estimation(participant: string, run: SettlementRun, stamp: RunStamp, tradingDay: MarketDate): Publication {
    const { seed } = this.market;
    const statement = buildStatement({ participant, run, seed, ...stamp });
    const details = buildStatementEstimation(statement, tradingDay, seed);
    const subject = `${participant}/${runKey(run)}/estimation/${tradingDay}`;
    return { kind: 'estimation', subject, lines: [{ kind: 'statement-estimations', record: { details } }] };
  }

  /** The invoice of a run. @param adjusted the adjusted run, for an adjustment */
  invoice(
    participant: string,
    run: SettlementRun,
    options: Pick<InvoiceInput, 'id' | 'reversedId' | 'payable' | 'previousError'>,
    adjusted = getAdjustedRun(run),
  ): Publication {
    const { seed } = this.market;
    const statement = buildStatementFigures(participant, run, seed);
    const previous = adjusted && buildStatementFigures(participant, adjusted, seed);
    const invoice = buildInvoice({ participant, run, statement, previous, ...options });
    const { period, designation } = run;
    const { marketService, from: periodFrom } = period;
    const record = { participantCode: participant, marketService, periodFrom, designation, invoice };
    const subject = `${participant}/${runKey(run)}/invoice/${options.id}`;
    return { kind: 'invoice', subject, lines: [{ kind: 'invoices', record }] };
  }
}

function changeBook(book: CreditBook, changes: BookChanges): CreditBook {
  return {
    creditSupport: changes.creditSupport ?? book.creditSupport,
    creditLimit: changes.creditLimit ?? book.creditLimit,
    tradingLimit: changes.tradingLimit ?? book.tradingLimit,
    prepayment: changes.prepayment ?? book.prepayment,
    invoiceNotPaid: changes.invoiceNotPaid ?? book.invoiceNotPaid,
  };
}

function buildCalculationLine(calculation: Calculation, book: CreditBook): BulkLine {
  const record = buildPrudentialCalculation(calculation, book);
  return {
    kind: 'prudential',
    record: { participantCode: calculation.participant, calculation: record },
  };
}

function getPrudentialSubject(participant: string): string {
  return `${participant}/prudential`;
}
