import type { OnceTable } from './once-table.js';

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
