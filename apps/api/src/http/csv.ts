import { toCsvRecord } from '@ssb/platform/csv';

/**
 * CSV with a header line.
 * @param columns names of members, in this order
 */
export const toCsv = (rows: readonly object[], columns: readonly string[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column]))]
    .map(toCsvRecord)
    .join('');
