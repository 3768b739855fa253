import {
  dateOf,
  PrudentialCalculation,
  PrudentialCalculationSummary,
  SettlementInvoice,
  SettlementOutput,
  SettlementOutputDetails,
  SettlementStatementSummary,
} from '@ssb/market';
import type { BulkLine, PrudentialRecord } from '@ssb/market/admin';
import { compress } from './compression.js';
import { type KeyValue, type RecordRow, type RecordTable, TABLES } from './tables.js';

/** Every kind of line but the timeline, whose cycles can be replaced. */
export type RecordLine = Exclude<BulkLine, { kind: 'timelines' }>;

/** The values of a record. `key` has at least the columns of the table's key. */
interface RecordValues {
  readonly key: Readonly<Record<string, KeyValue>>;
  readonly document: string;
  readonly rest?: Record<string, string>;
}

/** The row of a line. The `file` of an invoice is added when it is rendered. */
export async function toRow(line: RecordLine, index: number): Promise<RecordRow> {
  const table: RecordTable = TABLES[line.kind];
  const { key, document, rest } = toValues(line);
  const content = table.content === 'digest' ? await compress(document) : { document };
  const keyColumns = Object.keys(table.key).map((column) => [column, key[column]] as const);
  return {
    table,
    key: Object.fromEntries(keyColumns) as RecordRow['key'],
    rest: { ...content, ...rest },
    line: index,
  };
}

function toValues(line: RecordLine): RecordValues {
  switch (line.kind) {
    case 'prudential':
      return calculationValues(line.record);
    case 'prudential-details':
    case 'prudential-estimations': {
      const { participantCode: participant, calculatedAt: calculated_at, output } = line.record;
      const trading_day = dateOf(required(output.tradingDay));
      return {
        key: { participant, trading_day, calculated_at },
        document: SettlementOutput.serialise(output),
      };
    }
    case 'statements': {
      const { statement } = line.record;
      return { key: runKey(statement), document: SettlementStatementSummary.serialise(statement) };
    }
    case 'statement-details':
    case 'statement-estimations': {
      const { details } = line.record;
      const key = { ...runKey(details), trading_day: dateOf(details.tradingDay) };
      return { key, document: SettlementOutputDetails.serialise(details) };
    }
    case 'invoices': {
      const { participantCode: participant, marketService, periodFrom, designation, invoice } = line.record;
      const period = { market_service: marketService, period_from: periodFrom, designation };
      return {
        key: { participant, ...period, invoice_id: invoice.id },
        document: SettlementInvoice.serialise(invoice),
        rest: { invoice_date: invoice.invoiceDate },
      };
    }
    default:
      return line satisfies never;
  }
}

function calculationValues({ participantCode: participant, calculation }: PrudentialRecord): RecordValues {
  const { outstandingAmount, tradingMargin, isForecast = false } = calculation;
  const tradingDay = required(calculation.tradingDay);
  const calculatedAt = required(calculation.calculatedAt);
  const participantCode = calculation.participantCode ?? participant;
  const summary = { participantCode, tradingDay, outstandingAmount, tradingMargin, calculatedAt };
  return {
    key: {
      participant,
      is_forecast: isForecast,
      calculated_at: calculatedAt,
      trading_day: dateOf(tradingDay),
    },
    document: PrudentialCalculation.serialise(calculation),
    rest: { summary: PrudentialCalculationSummary.serialise(summary) },
  };
}

type Run = Pick<
  SettlementStatementSummary,
  'participantCode' | 'marketService' | 'periodFrom' | 'designation' | 'runId'
>;

function runKey({ participantCode: participant, marketService, periodFrom, designation, runId }: Run) {
  const period = { market_service: marketService, period_from: dateOf(periodFrom), designation };
  return { participant, ...period, run_id: runId };
}

/** The operator API has refused a record without it. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a record without its trading day or time was not refused');
  return value;
}
