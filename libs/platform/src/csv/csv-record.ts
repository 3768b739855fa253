/** A cell that begins so could be a formula in a spreadsheet (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;
/** A decimal number is not a formula, whatever its sign. */
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A record of CSV (RFC 4180) with its line end. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
export const toCsvRecord = (values: readonly unknown[]): string =>
  `${values.map((value) => quote(toCsvCell(value))).join(',')}\r\n`;

const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

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
