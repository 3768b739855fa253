import type {
  BulkLine,
  MarketDate,
  MarketDateTime,
  SettlementCycleTimeline,
  SettlementStatementSummary,
} from '@ssb/market';
import { CENTS, decimalOf } from './amount.js';
import type { CalendarRun } from './calendar.js';
import { invoiceOf } from './invoice.js';
import { exposureAt, positionOf, type CreditBook } from './position.js';
import { prudentialDetailOf, prudentialEstimationOf, type OutputOrder } from './prudential-detail.js';
import type { Publication } from './publication.js';
import { designationBefore } from './settlement-run.js';
import { detailedDays, statementDetailOf, statementEstimationOf } from './statement-detail.js';
import { statementOf } from './statement.js';
import { invoiceSubject, prudentialSubject, statementSubject } from './subject.js';
import { offBy } from './wrong-invoice.js';

/** When a run was published, and the id it was given. */
export interface RunStamp {
  publishedAt: MarketDateTime;
  runId: number;
}

export function timelinePublication(timeline: SettlementCycleTimeline): Publication {
  const subject = `${timeline.cycles?.length ?? 0} cycles`;
  return { kind: 'timeline', subject, lines: [{ kind: 'timelines', record: { timeline } }] };
}

export interface MarginOrder {
  participant: string;
  calculatedAt: MarketDateTime;
  tradingDay: MarketDate;
  /** Cents. */
  tradingMargin: bigint;
  book: CreditBook;
}

/** A prudential calculation. */
export function marginPublication({ tradingMargin, book, ...order }: MarginOrder): Publication {
  const { participant, calculatedAt, tradingDay } = order;
  return {
    kind: 'margin',
    subject: prudentialSubject(participant),
    note: { tradingDay, tradingMargin: decimalOf(tradingMargin, CENTS), calculatedAt },
    lines: [
      {
        kind: 'prudential',
        record: { participantCode: participant, calculation: positionOf(order, tradingMargin, book) },
      },
    ],
  };
}

/** What the calculation rests on: its detail (operation 3) and the NSTEM estimation of its day (operation 4). */
export function marginDetailsPublication(
  { tradingMargin, book, ...of }: MarginOrder,
  seed: string,
): Publication {
  const order: OutputOrder = { ...of, seed };
  return {
    kind: 'margin-details',
    subject: `${prudentialSubject(of.participant)}/${of.tradingDay}`,
    lines: [
      {
        kind: 'prudential-details',
        record: prudentialDetailOf(order, decimalOf(exposureAt(tradingMargin, book), CENTS)),
      },
      { kind: 'prudential-estimations', record: prudentialEstimationOf(order) },
    ],
  };
}

/** Forecasts made at one moment; the margins of the coming trading days, cents. */
export function forecastPublication(
  participant: string,
  calculatedAt: MarketDateTime,
  margins: readonly { tradingDay: MarketDate; tradingMargin: bigint }[],
  book: CreditBook,
): Publication {
  return {
    kind: 'forecast',
    subject: `${prudentialSubject(participant)}/forecast`,
    note: { calculatedAt },
    lines: margins.map(({ tradingDay, tradingMargin }) => ({
      kind: 'prudential' as const,
      record: {
        participantCode: participant,
        calculation: positionOf(
          { participant, calculatedAt, tradingDay, isForecast: true },
          tradingMargin,
          book,
        ),
      },
    })),
  };
}

/** A run as it is published for one participant. */
export interface RunOrder {
  participant: string;
  run: CalendarRun;
  seed: string;
  stamp: RunStamp;
  /** How often the run was revised before. */
  revision?: number | undefined;
}

export function statementPublication(order: RunOrder): Publication {
  return {
    kind: 'statement',
    subject: statementSubject(order.participant, order.run),
    note: { runId: String(order.stamp.runId) },
    lines: [{ kind: 'statements', record: { statement: statementFor(order) } }],
  };
}

/** Details of the first so many trading days of the run (operation 6); of an NSTEM run also the estimations (operation 7). */
export function statementDetailsPublication(order: RunOrder, tradingDays: number): Publication {
  const statement = statementFor(order);
  const lines = detailedDays(statement, tradingDays).flatMap((day): BulkLine[] => {
    const details: BulkLine = {
      kind: 'statement-details',
      record: { details: statementDetailOf(statement, day, order.seed) },
    };
    if (statement.marketService !== 'NSTEM') return [details];
    const estimation = { details: statementEstimationOf(statement, day, order.seed) };
    return [details, { kind: 'statement-estimations', record: estimation }];
  });
  const subject = `${statementSubject(order.participant, order.run)}/details`;
  return { kind: 'statement-details', subject, lines };
}

/** What an invoice says beside its run's figures. */
export interface InvoiceWords {
  id: string;
  /** The reversal of the invoice that this one replaces. */
  reversedId?: string | undefined;
  /** What the total is to be wrong by; decimal string, AUD. */
  offBy?: string | undefined;
  /** How often the run that this one adjusts was revised. */
  revisionBefore?: number | undefined;
}

/** The invoice of a run, worked out from its statement's figures and, for an adjustment, from those of the run before. */
export function invoicePublication(order: RunOrder, words: InvoiceWords): Publication {
  const { participant, run } = order;
  const { id, reversedId } = words;
  const before = designationBefore(run.designation);
  const previous =
    before &&
    statementFor({ ...order, run: { ...run, designation: before }, revision: words.revisionBefore });
  const right = invoiceOf({ id, participant, run, statement: statementFor(order), previous, reversedId });
  const invoice = words.offBy === undefined ? right : offBy(right, words.offBy);
  const { marketService, from: periodFrom } = run.period;
  const { designation } = run;
  return {
    kind: 'invoice',
    subject: invoiceSubject(participant, run, id),
    lines: [
      {
        kind: 'invoices',
        record: { participantCode: participant, marketService, periodFrom, designation, invoice },
      },
    ],
  };
}

/** The figures depend on participant, run, seed and revision alone. */
function statementFor({ participant, run, seed, stamp, revision }: RunOrder): SettlementStatementSummary {
  return statementOf({ participant, run, seed, revision, ...stamp, controlFigure: run.controlFigure });
}
