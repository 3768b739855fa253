/** How a column is kept, and so how its text is turned into it. `bytes` travel as base64. */
export type ColumnType = 'text' | 'date' | 'timestamp' | 'boolean' | 'integer' | 'bytes';

/** A table whose rows are written once and never changed. Its names come from this program only. */
export interface OnceTable {
  readonly name: string;
  /** What a record is found again by; a second one with the same key must be the same record. */
  readonly key: Readonly<Record<string, ColumnType>>;
  readonly rest: Readonly<Record<string, ColumnType>>;
  /** The column by which two records with one key are told apart. */
  readonly content: string;
}

export type KeyValue = string | number | boolean;

/** A row to be written. */
export interface OnceRow {
  readonly table: OnceTable;
  readonly key: Readonly<Record<string, KeyValue>>;
  readonly rest: Readonly<Record<string, string | null>>;
  /** The line that it came by, for whoever must be told that it is refused. */
  readonly line: number;
}

/** SQL that makes a column's value of its text. */
export function fromText(type: ColumnType, text: string): string {
  return type === 'bytes' ? `decode(${text}, 'base64')` : `${text}::${type}`;
}

/**
 * The tables of what is published once. Documents that hold a value for each interval of a day are kept packed (`packed` with the
 * digest of their text): they are nearly all of the store. The others are text that can be read where it lies.
 */
const plain = { content: 'document' } as const;
const packed = { content: 'digest', rest: { packed: 'bytes', digest: 'text' } } as const;

export const PRUDENTIAL: OnceTable = {
  name: 'prudential',
  key: { participant: 'text', is_forecast: 'boolean', calculated_at: 'timestamp', trading_day: 'date' },
  rest: { document: 'text', summary: 'text' },
  ...plain,
};

const dayOfCalculation = { participant: 'text', trading_day: 'date', calculated_at: 'timestamp' } as const;
export const PRUDENTIAL_DETAIL: OnceTable = { name: 'prudential_detail', key: dayOfCalculation, ...packed };
export const PRUDENTIAL_ESTIMATION: OnceTable = {
  name: 'prudential_estimation',
  key: dayOfCalculation,
  ...packed,
};

const period = {
  participant: 'text',
  market_service: 'text',
  period_from: 'date',
  designation: 'text',
} as const;
export const STATEMENT: OnceTable = {
  name: 'statement',
  key: { ...period, run_id: 'integer' },
  rest: { document: 'text' },
  ...plain,
};

export const STATEMENT_DETAIL: OnceTable = {
  name: 'statement_detail',
  key: {
    participant: 'text',
    market_service: 'text',
    trading_day: 'date',
    designation: 'text',
    run_id: 'integer',
  },
  ...packed,
};

export const STATEMENT_ESTIMATION: OnceTable = {
  name: 'statement_estimation',
  key: {
    participant: 'text',
    period_from: 'date',
    designation: 'text',
    trading_day: 'date',
    run_id: 'integer',
  },
  ...packed,
};

export const INVOICE: OnceTable = {
  name: 'invoice',
  key: { ...period, invoice_id: 'text' },
  rest: { document: 'text', invoice_date: 'date', file: 'bytes' },
  ...plain,
};
