import type { RecordKind } from '@ssb/market/admin';

/** The SQL type of a column. `bytes` are sent as base64. */
export type ColumnType = 'text' | 'date' | 'timestamp' | 'boolean' | 'integer' | 'bytes';

/** A table of records. No name comes from a request. */
export interface RecordTable {
  readonly name: string;
  /** The unique key. A second record with the same key must have the same content. */
  readonly key: Readonly<Record<string, ColumnType>>;
  /** The other columns. */
  readonly rest: Readonly<Record<string, ColumnType>>;
  /** The column that shows whether two records have the same content. */
  readonly content: 'document' | 'digest';
}

export type KeyValue = string | number | boolean;

/** A row to insert. */
export interface RecordRow {
  readonly table: RecordTable;
  readonly key: Readonly<Record<string, KeyValue>>;
  readonly rest: Record<string, string | null>;
  /** The index of its line in the load. */
  readonly line: number;
}

/** SQL that casts a text to the type of its column. */
export function castText(type: ColumnType, text: string): string {
  return type === 'bytes' ? `decode(${text}, 'base64')` : `${text}::${type}`;
}

/** Documents with a value for each interval of a day are compressed: they are nearly all of the data. */
const compressed = { content: 'digest', rest: { packed: 'bytes', digest: 'text' } } as const;
const plain = { content: 'document', rest: { document: 'text' } } as const;

const calculationKey = { participant: 'text', trading_day: 'date', calculated_at: 'timestamp' } as const;
const marketColumns = { participant: 'text', market_service: 'text' } as const;
const runColumns = { designation: 'text', run_id: 'integer' } as const;

/** The table of each kind of record. */
export const TABLES = {
  prudential: {
    name: 'prudential',
    key: { participant: 'text', is_forecast: 'boolean', calculated_at: 'timestamp', trading_day: 'date' },
    rest: { document: 'text', summary: 'text' },
    content: 'document',
  },
  'prudential-details': { name: 'prudential_detail', key: calculationKey, ...compressed },
  'prudential-estimations': { name: 'prudential_estimation', key: calculationKey, ...compressed },
  statements: { name: 'statement', key: { ...marketColumns, period_from: 'date', ...runColumns }, ...plain },
  'statement-details': {
    name: 'statement_detail',
    key: { ...marketColumns, trading_day: 'date', ...runColumns },
    ...compressed,
  },
  'statement-estimations': {
    name: 'statement_estimation',
    key: {
      participant: 'text',
      period_from: 'date',
      designation: 'text',
      trading_day: 'date',
      run_id: 'integer',
    },
    ...compressed,
  },
  invoices: {
    name: 'invoice',
    key: { ...marketColumns, period_from: 'date', designation: 'text', invoice_id: 'text' },
    rest: { document: 'text', invoice_date: 'date', file: 'bytes' },
    content: 'document',
  },
  /** A cycle can be replaced: replace-cycles.ts writes it. */
  timelines: {
    name: 'cycle',
    key: { market_service: 'text', period_from: 'date' },
    rest: {},
    content: 'document',
  },
} as const satisfies Record<RecordKind, RecordTable>;
