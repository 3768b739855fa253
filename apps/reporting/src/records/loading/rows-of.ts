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

interface Row {
  readonly table: OnceTable;
  readonly key: Record<string, KeyValue>;
  readonly document: string;
  readonly more?: Record<string, string>;
}

/** The row that a line becomes; the `file` of an invoice is added when it is rendered. */
export async function rowOf(line: OnceLine, index: number): Promise<OnceRow> {
  const { table, key, document, more } = bareRow(line);
  const content = table.content === 'digest' ? await pack(document) : { document };
  return { table, key, rest: { ...content, ...more }, line: index };
}

function bareRow(line: OnceLine): Row {
  switch (line.kind) {
    case 'prudential':
      return prudentialRow(line.record);
    case 'prudential-details':
      return outputRow(tables.PRUDENTIAL_DETAIL, line.record);
    case 'prudential-estimations':
      return outputRow(tables.PRUDENTIAL_ESTIMATION, line.record);
    case 'statements':
      return statementRow(line.record);
    case 'statement-details':
      return detailRow(line.record);
    case 'statement-estimations':
      return estimationRow(line.record);
    case 'invoices':
      return invoiceRow(line.record);
    default:
      return line satisfies never;
  }
}

function prudentialRow({ participantCode: participant, calculation }: PrudentialLoad): Row {
  const { tradingDay, calculatedAt, outstandingAmount, tradingMargin, isForecast = false } = calculation;
  if (tradingDay === undefined || calculatedAt === undefined)
    throw new TypeError('a calculation without its trading day and time does not pass the operator’s door');
  const participantCode = calculation.participantCode ?? participant;
  const summary = { participantCode, tradingDay, outstandingAmount, tradingMargin, calculatedAt };
  return {
    table: tables.PRUDENTIAL,
    key: {
      participant,
      is_forecast: isForecast,
      calculated_at: calculatedAt,
      trading_day: dateOf(tradingDay),
    },
    document: PrudentialCalculation.serialise(calculation),
    more: { summary: PrudentialCalculationSummary.serialise(summary) },
  };
}

function outputRow(
  table: OnceTable,
  { participantCode: participant, calculatedAt, output }: OutputLoad,
): Row {
  if (output.tradingDay === undefined)
    throw new TypeError('figures without their trading day do not pass the operator’s door');
  const key = { participant, trading_day: dateOf(output.tradingDay), calculated_at: calculatedAt };
  return { table, key, document: SettlementOutput.serialise(output) };
}

function statementRow({ statement }: StatementLoad): Row {
  const { participantCode: participant, marketService, periodFrom, designation, runId } = statement;
  const period = { market_service: marketService, period_from: dateOf(periodFrom), designation };
  const document = SettlementStatementSummary.serialise(statement);
  return { table: tables.STATEMENT, key: { participant, ...period, run_id: runId }, document };
}

function detailRow({ details }: OutputDetailsLoad): Row {
  const { participantCode: participant, marketService, tradingDay, designation, runId } = details;
  const day = { market_service: marketService, trading_day: dateOf(tradingDay), designation };
  const document = SettlementOutputDetails.serialise(details);
  return { table: tables.STATEMENT_DETAIL, key: { participant, ...day, run_id: runId }, document };
}

function estimationRow({ details }: OutputDetailsLoad): Row {
  const { participantCode: participant, periodFrom, designation, tradingDay, runId } = details;
  const day = { period_from: dateOf(periodFrom), designation, trading_day: dateOf(tradingDay) };
  const document = SettlementOutputDetails.serialise(details);
  return { table: tables.STATEMENT_ESTIMATION, key: { participant, ...day, run_id: runId }, document };
}

function invoiceRow({
  participantCode: participant,
  marketService,
  periodFrom,
  designation,
  invoice,
}: InvoiceLoad): Row {
  const period = { market_service: marketService, period_from: periodFrom, designation };
  return {
    table: tables.INVOICE,
    key: { participant, ...period, invoice_id: invoice.id },
    document: SettlementInvoice.serialise(invoice),
    more: { invoice_date: invoice.invoiceDate },
  };
}
