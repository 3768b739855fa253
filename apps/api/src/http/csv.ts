import { toCsvCell } from '@ssb/platform';
import { stringify } from 'csv-stringify/sync';

/**
 * CSV (RFC 4180) with a header line. A text that a spreadsheet would run as a formula gets an apostrophe before it.
 * @param columns names of members, in this order
 */
export function toCsv(rows: readonly object[], columns: readonly string[]): string {
  return stringify(
    rows.map((row) => columns.map((column) => toCsvCell((row as Record<string, unknown>)[column]))),
    { header: true, columns: [...columns], record_delimiter: '\r\n' },
  );
}
