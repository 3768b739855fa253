/**
 * Money and quantities are decimal strings: the reporting API sends up to 23 digits (document 000, convention 4) and
 * a double holds about 15. Calculations use bigint.
 */
declare const decimalBrand: unique symbol;

/** A decimal number in plain notation: `-12.50`, `0`, `1000000`. No exponent, no `+`, no leading zeros, no `-0`. */
export type Decimal = string & { readonly [decimalBrand]: true };

/** Digits before and after the point. More than any double has, and still fast to calculate with. */
const MAX_DIGITS = 400;

const PLAIN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,9}))?$/;

/** The text is not a decimal number, or it is too long. */
export class InvalidDecimalError extends Error {
  override readonly name = 'InvalidDecimalError';
  constructor(readonly text: string) {
    super(`not a decimal number: ${JSON.stringify(text.slice(0, 60))}`);
  }
}

/** Whether the text is a `Decimal` as `parseDecimal` returns it. */
export function isDecimal(text: string): text is Decimal {
  return text.length <= 2 * MAX_DIGITS && PLAIN.test(text) && !isNegativeZero(text);
}

/**
 * Parses a number in JSON notation. It expands exponents (some serialisers send `1E-05`), keeps trailing zeros and
 * removes the sign of minus zero.
 * @throws InvalidDecimalError
 */
export function parseDecimal(text: string): Decimal {
  const value = tryParseDecimal(text);
  if (value === undefined) throw new InvalidDecimalError(text);
  return value;
}

/** As `parseDecimal`, but undefined for a text that is not a decimal number. */
export function tryParseDecimal(text: string): Decimal | undefined {
  if (isDecimal(text)) return text;
  const match = text.length <= 2 * MAX_DIGITS ? JSON_NUMBER.exec(text) : null;
  if (match === null) return undefined;
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > MAX_DIGITS) return undefined;
  const unscaled = BigInt(whole + fraction);
  return scale < 0
    ? fromUnits(applySign(sign, unscaled) * 10n ** BigInt(-scale), 0)
    : fromUnits(applySign(sign, unscaled), scale);
}

/** -1, 0 or 1 as `a` is less than, equal to or greater than `b`. `1.50` equals `1.5`. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const [x, y] = toSameScale(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The exact sum, with the longer of the two fractions. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y, scale] = toSameScale(a, b);
  return fromUnits(x + y, scale);
}

/** The exact difference `a - b`, with the longer of the two fractions. */
export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y, scale] = toSameScale(a, b);
  return fromUnits(x - y, scale);
}

/** The exact product. Its fraction is as long as both together. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y] = [scaleOf(a), scaleOf(b)];
  return fromUnits(toUnits(a, x) * toUnits(b, y), x + y);
}

/** The exact share, without trailing zeros. */
export function percentOf(amount: Decimal, percent: Decimal): Decimal {
  const product = multiplyDecimals(amount, percent);
  return withoutTrailingZeros(multiplyDecimals(product, '0.01' as Decimal));
}

/** The shortest form of the same number. */
export function withoutTrailingZeros(value: Decimal): Decimal {
  return (value.includes('.') ? value.replace(/\.?0+$/, '') : value) as Decimal;
}

/** The exact sum of a list; `0` for an empty list. */
export function sumDecimals(values: Iterable<Decimal>): Decimal {
  let total = '0' as Decimal;
  for (const value of values) total = addDecimals(total, value);
  return total;
}

/** decimal(p,s) of document 000: at most `precision` digits, `scale` of them after the point. */
export interface DecimalLimits {
  readonly precision: number;
  readonly scale: number;
}

/** Whether the value fits decimal(p,s). Leading and trailing zeros do not count: `1.500` has two digits. */
export function fitsDecimal(value: Decimal, limits: DecimalLimits): boolean {
  const [whole = '', fraction = ''] = value.replace('-', '').split('.');
  const after = fraction.replace(/0+$/, '').length;
  const before = whole.replace(/^0+/, '').length;
  return after <= limits.scale && before + after <= limits.precision;
}

function toSameScale(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(scaleOf(a), scaleOf(b));
  return [toUnits(a, scale), toUnits(b, scale), scale];
}

/** The number of digits after the point. */
export function scaleOf(value: Decimal): number {
  const point = value.indexOf('.');
  return point === -1 ? 0 : value.length - point - 1;
}

/** The value in units of the digit at `scale`, which is not less than its own scale: `1.5` is 150 at scale 2. */
export function toUnits(value: Decimal, scale: number): bigint {
  return BigInt(value.replace('.', '') + '0'.repeat(scale - scaleOf(value)));
}

function applySign(sign: string, value: bigint): bigint {
  return sign === '-' ? -value : value;
}

/** The decimal with `scale` digits after the point. */
export function fromUnits(value: bigint, scale: number): Decimal {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale);
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}` as Decimal;
}

function isNegativeZero(text: string): boolean {
  return /^-0(?:\.0+)?$/.test(text);
}
