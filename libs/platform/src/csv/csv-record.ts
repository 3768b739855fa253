/** A cell that begins so could be a formula in a spreadsheet (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;
/** A decimal number is not a formula, whatever its sign. */
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** The text of a CSV cell, not quoted. A formula gets an apostrophe before it; lists become one text, separated by spaces. */
export function toCsvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return FORMULA.test(value) && !DECIMAL.test(value) ? `'${value}` : value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return toCsvCell(value.join(' '));
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  throw new TypeError('a cell has no objects');
}
