import {
  dateOf,
  PrudentialCalculation,
  PrudentialCalculationSummary,
  SettlementInvoice,
  SettlementOutput,
  SettlementOutputDetails,
  SettlementStatementSummary,
  type BulkLine,
  type InvoiceLoad,
  type OutputDetailsLoad,
  type OutputLoad,
  type PrudentialLoad,
  type StatementLoad,
} from '@ssb/market';
import { pack } from './packed.js';
import * as tables from './tables.js';
import type { KeyValue, OnceRow, OnceTable } from './tables.js';

/** Every kind of line but the timeline, whose cycles may be replaced. */
export type OnceLine = Exclude<BulkLine, { kind: 'timelines' }>;

/** Renders an invoice for operation 8. */
export type RenderInvoiceFile = (invoice: InvoiceLoad['invoice']) => Promise<Uint8Array>;

/** The row that a line becomes; an invoice's `file` is added by whoever renders it. */
export async function rowOf(line: OnceLine, index: number): Promise<OnceRow> {
  switch (line.kind) {
    case 'prudential':
      return { ...prudentialRow(line.record), line: index };
    case 'prudential-details':
      return { ...(await outputRow(tables.PRUDENTIAL_DETAIL, line.record)), line: index };
    case 'prudential-estimations':
      return { ...(await outputRow(tables.PRUDENTIAL_ESTIMATION, line.record)), line: index };
    case 'statements':
      return { ...statementRow(line.record), line: index };
    case 'statement-details':
      return { ...(await detailRow(line.record)), line: index };
    case 'statement-estimations':
      return { ...(await estimationRow(line.record)), line: index };
    case 'invoices':
      return { ...invoiceRow(line.record), line: index };
    default:
      return line satisfies never;
  }
}

type RowOfLine = Omit<OnceRow, 'line'>;

function row(
  table: OnceTable,
  key: Record<string, KeyValue>,
  rest: Record<string, string | null>,
): RowOfLine {
  return { table, key, rest };
}

function prudentialRow({ participantCode, calculation }: PrudentialLoad): RowOfLine {
  const { tradingDay, calculatedAt, outstandingAmount, tradingMargin } = calculation;
  if (tradingDay === undefined || calculatedAt === undefined)
    throw new TypeError('a calculation without its trading day and time does not pass the operator’s door');
  const summary = PrudentialCalculationSummary.serialise({
    participantCode: calculation.participantCode ?? participantCode,
    tradingDay,
    outstandingAmount,
    tradingMargin,
    calculatedAt,
  });
  const key = {
    participant: participantCode,
    is_forecast: calculation.isForecast ?? false,
    calculated_at: calculatedAt,
    trading_day: dateOf(tradingDay),
  };
  return row(tables.PRUDENTIAL, key, { document: PrudentialCalculation.serialise(calculation), summary });
}

async function outputRow(
  table: OnceTable,
  { participantCode, calculatedAt, output }: OutputLoad,
): Promise<RowOfLine> {
  if (output.tradingDay === undefined)
    throw new TypeError('figures without their trading day do not pass the operator’s door');
  const key = {
    participant: participantCode,
    trading_day: dateOf(output.tradingDay),
    calculated_at: calculatedAt,
  };
  return row(table, key, { ...(await pack(SettlementOutput.serialise(output))) });
}

function statementRow({ statement }: StatementLoad): RowOfLine {
  const { participantCode, marketService, periodFrom, designation, runId } = statement;
  const key = {
    participant: participantCode,
    market_service: marketService,
    period_from: dateOf(periodFrom),
    designation,
    run_id: runId,
  };
  return row(tables.STATEMENT, key, { document: SettlementStatementSummary.serialise(statement) });
}

async function detailRow({ details }: OutputDetailsLoad): Promise<RowOfLine> {
  const { participantCode, marketService, tradingDay, designation, runId } = details;
  const key = {
    participant: participantCode,
    market_service: marketService,
    trading_day: dateOf(tradingDay),
    designation,
    run_id: runId,
  };
  return row(tables.STATEMENT_DETAIL, key, { ...(await pack(SettlementOutputDetails.serialise(details))) });
}

async function estimationRow({ details }: OutputDetailsLoad): Promise<RowOfLine> {
  const { participantCode, periodFrom, designation, tradingDay, runId } = details;
  const key = {
    participant: participantCode,
    period_from: dateOf(periodFrom),
    designation,
    trading_day: dateOf(tradingDay),
    run_id: runId,
  };
  return row(tables.STATEMENT_ESTIMATION, key, {
    ...(await pack(SettlementOutputDetails.serialise(details))),
  });
}

function invoiceRow(load: InvoiceLoad): RowOfLine {
  const { participantCode, marketService, periodFrom, designation, invoice } = load;
  const key = {
    participant: participantCode,
    market_service: marketService,
    period_from: periodFrom,
    designation,
    invoice_id: invoice.id,
  };
  return row(tables.INVOICE, key, {
    document: SettlementInvoice.serialise(invoice),
    invoice_date: invoice.invoiceDate,
  });
}
