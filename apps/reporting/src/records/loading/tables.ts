import type { RecordKind } from '@ssb/market-admin';

/** How a column is kept, and so how its text is turned into it. `bytes` travel as base64. */
export type ColumnType = 'text' | 'date' | 'timestamp' | 'boolean' | 'integer' | 'bytes';

/** A table whose rows are written once and never changed. Its names come from this program only. */
export interface OnceTable {
  readonly name: string;
  /** What a record is found by; a second one with the same key must be the same record. */
  readonly key: Readonly<Record<string, ColumnType>>;
  readonly rest: Readonly<Record<string, ColumnType>>;
  /** The column by which two records with one key are told apart. */
  readonly content: 'document' | 'digest';
}

export type KeyValue = string | number | boolean;

/** A row to be written. */
export interface OnceRow {
  readonly table: OnceTable;
  readonly key: Readonly<Record<string, KeyValue>>;
  readonly rest: Record<string, string | null>;
  /** The index of its line in the load. */
  readonly line: number;
}

/** SQL that makes a column's value of its text. */
export function fromText(type: ColumnType, text: string): string {
  return type === 'bytes' ? `decode(${text}, 'base64')` : `${text}::${type}`;
}

/**
 * Documents that hold a value for each interval of a day are kept packed (`packed` with the digest of their text): they are nearly
 * all of the store. The others are text that can be read where it lies.
 */
const packed = { content: 'digest', rest: { packed: 'bytes', digest: 'text' } } as const;
const plain = { content: 'document', rest: { document: 'text' } } as const;

const calculatedDay = { participant: 'text', trading_day: 'date', calculated_at: 'timestamp' } as const;
const ofMarket = { participant: 'text', market_service: 'text' } as const;
const ofRun = { designation: 'text', run_id: 'integer' } as const;

/** Where the records of each kind are. */
export const TABLES = {
  prudential: {
    name: 'prudential',
    key: { participant: 'text', is_forecast: 'boolean', calculated_at: 'timestamp', trading_day: 'date' },
    rest: { document: 'text', summary: 'text' },
    content: 'document',
  },
  'prudential-details': { name: 'prudential_detail', key: calculatedDay, ...packed },
  'prudential-estimations': { name: 'prudential_estimation', key: calculatedDay, ...packed },
  statements: { name: 'statement', key: { ...ofMarket, period_from: 'date', ...ofRun }, ...plain },
  'statement-details': {
    name: 'statement_detail',
    key: { ...ofMarket, trading_day: 'date', ...ofRun },
    ...packed,
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
    ...packed,
  },
  invoices: {
    name: 'invoice',
    key: { ...ofMarket, period_from: 'date', designation: 'text', invoice_id: 'text' },
    rest: { document: 'text', invoice_date: 'date', file: 'bytes' },
    content: 'document',
  },
  /** A cycle may be replaced: replace-cycles.ts writes it. */
  timelines: {
    name: 'cycle',
    key: { market_service: 'text', period_from: 'date' },
    rest: {},
    content: 'document',
  },
} as const satisfies Record<RecordKind, OnceTable>;
