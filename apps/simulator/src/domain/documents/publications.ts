import { addDays, dateOf, type MarketDateTime } from '@ssb/market';
import type { BulkLine } from '@ssb/market-admin';
import { invoiceOf, type InvoiceOrder } from './invoice.js';
import { tradingDaysOf } from '../calendar/period.js';
import {
  type Calculation,
  prudentialCalculationOf,
  prudentialDetailOf,
  prudentialEstimationOf,
} from './prudential.js';
import type { CreditBook, Details } from '../scenario/scenario.js';
import { adjustedRun, runKey, type SettlementRun, timelineOf } from '../calendar/settlement-run.js';
import { statementDetailOf, statementEstimationOf, statementFiguresOf, statementOf } from './statement.js';

/** One record, or several that are loaded together or not at all. */
export interface Publication {
  kind: string;
  /** The subject of the bridge's event, or what the log calls the publication. */
  subject: string;
  lines: readonly BulkLine[];
}

/** When a run was published, and the id that it has. */
export interface RunStamp {
  publishedAt: MarketDateTime;
  runId: number;
}

/** Everything that the market can publish. The figures depend on the seed, the participant and what is published, not on the time. */
export class Publications {
  constructor(private readonly market: { seed: string; book: CreditBook; details: Details }) {}

  timeline(runs: readonly SettlementRun[]): Publication {
    const timeline = timelineOf(runs);
    const subject = `${timeline.cycles?.length ?? 0} cycles`;
    return { kind: 'timeline', subject, lines: [{ kind: 'timelines', record: { timeline } }] };
  }

  /** A prudential calculation; with its detail (operation 3) and estimation (operation 4) where they are wanted. */
  calculation(calculation: Calculation, withDetails = this.market.details.prudential): Publication[] {
    const { seed, book } = this.market;
    const { participant, tradingDay } = calculation;
    const subject = prudentialSubject(participant);
    const margin: Publication = { kind: 'margin', subject, lines: [calculationLine(calculation, book)] };
    if (!withDetails) return [margin];
    const lines: BulkLine[] = [
      { kind: 'prudential-details', record: prudentialDetailOf(calculation, book, seed) },
      { kind: 'prudential-estimations', record: prudentialEstimationOf(calculation, seed) },
    ];
    return [margin, { kind: 'margin-details', subject: `${subject}/${tradingDay}`, lines }];
  }

  /** Forecasts for the days after the calculation. @param margins cents */
  forecast(participant: string, calculatedAt: MarketDateTime, margins: readonly bigint[]): Publication {
    const lines = margins.map((tradingMargin, index) => {
      const tradingDay = addDays(dateOf(calculatedAt), index + 1);
      const forecast = { participant, calculatedAt, tradingDay, tradingMargin, isForecast: true };
      return calculationLine(forecast, this.market.book);
    });
    const subject = `${prudentialSubject(participant)}/forecast`;
    return { kind: 'forecast', subject, lines };
  }

  /** A statement; with details of its first days (operation 6), and estimations for NSTEM (operation 7). */
  statement(participant: string, run: SettlementRun, stamp: RunStamp): Publication[] {
    const { seed, details } = this.market;
    const statement = statementOf({ participant, run, seed, ...stamp });
    const subject = `${participant}/${runKey(run)}`;
    const record: BulkLine = { kind: 'statements', record: { statement } };
    const published: Publication = { kind: 'statement', subject, lines: [record] };
    if (details.tradingDays === 0) return [published];
    const days = tradingDaysOf(run.period).slice(0, details.tradingDays);
    const lines = days.flatMap((day): BulkLine[] => {
      const detail: BulkLine = {
        kind: 'statement-details',
        record: { details: statementDetailOf(statement, day, seed) },
      };
      if (statement.marketService !== 'NSTEM') return [detail];
      const estimation = { details: statementEstimationOf(statement, day, seed) };
      return [detail, { kind: 'statement-estimations', record: estimation }];
    });
    return [published, { kind: 'statement-details', subject: `${subject}/details`, lines }];
  }

  /** The invoice of a run. @param adjusted the run that an adjustment adjusts */
  invoice(
    participant: string,
    run: SettlementRun,
    options: Pick<InvoiceOrder, 'id' | 'reversedId' | 'offBy'>,
    adjusted = adjustedRun(run),
  ): Publication {
    const { seed } = this.market;
    const statement = statementFiguresOf(participant, run, seed);
    const previous = adjusted && statementFiguresOf(participant, adjusted, seed);
    const invoice = invoiceOf({ participant, run, statement, previous, ...options });
    const { period, designation } = run;
    const { marketService, from: periodFrom } = period;
    const record = { participantCode: participant, marketService, periodFrom, designation, invoice };
    const subject = `${participant}/${runKey(run)}/invoice/${options.id}`;
    return { kind: 'invoice', subject, lines: [{ kind: 'invoices', record }] };
  }
}

function calculationLine(calculation: Calculation, book: CreditBook): BulkLine {
  const made = prudentialCalculationOf(calculation, book);
  return { kind: 'prudential', record: { participantCode: calculation.participant, calculation: made } };
}

function prudentialSubject(participant: string): string {
  return `${participant}/prudential`;
}
