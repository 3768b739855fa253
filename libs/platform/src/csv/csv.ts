import { stringify } from 'csv-stringify/sync';

/** A cell that begins so could be a formula in a spreadsheet (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;
/** A decimal number is not a formula, whatever its sign. */
const DECIMAL = /^-?\d+(\.\d+)?$/;
/** Many readers take each of these as the end of a record. */
const LINE_END = /[\r\n]/;

/**
 * CSV (RFC 4180) with a header line. A text that a spreadsheet would run as a formula gets an apostrophe before it.
 * @param columns names of members, in this order
 */
export function toCsv(rows: readonly object[], columns: readonly string[]): string {
  return stringify(
    rows.map((row) => columns.map((column) => toCsvCell((row as Record<string, unknown>)[column]))),
    { header: true, columns: [...columns], record_delimiter: '\r\n', quoted_match: LINE_END },
  );
}

/** Lists become one text, separated by spaces. */
function toCsvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return FORMULA.test(value) && !DECIMAL.test(value) ? `'${value}` : value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return toCsvCell(value.join(' '));
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  throw new TypeError('a cell has no objects');
}
