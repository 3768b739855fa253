import { parseDecimal, subtract } from './decimal.js';

/** A true minus sign, which is as wide as a digit. */
const MINUS = '\u2212';

/**
 * A decimal text with thousands separators and every digit.
 * @param text as the API sends it, such as `-1234567.80`
 */
export function formatAmount(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? [];
  if (whole === '') return text;
  return `${sign && MINUS}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${fraction}`;
}

/** Whether a decimal text is below zero. */
export function isNegative(text: string): boolean {
  return text.startsWith('-') && /[1-9]/.test(text);
}

/** Whether a decimal text is zero. */
export function isZero(text: string): boolean {
  return /^-?0+(\.0+)?$/.test(text);
}

const fractionOf = (text: string): string => text.split('.')[1] ?? '';

/** The most decimals of some amounts, so that all of them can have as many. */
export function decimalsOf(texts: readonly (string | undefined)[]): number {
  return Math.max(0, ...texts.map((text = '') => fractionOf(text).length));
}

/** With zeros up to some decimals. No digit is removed. */
export function padDecimals(text: string, decimals: number): string {
  const missing = decimals - fractionOf(text).length;
  if (missing <= 0 || !/^-?\d+(\.\d+)?$/.test(text)) return text;
  return `${text}${text.includes('.') ? '' : '.'}${'0'.repeat(missing)}`;
}

/** The decimal text without its sign. */
export function withoutSign(text: string): string {
  return text.replace(/^-/, '');
}

/**
 * Compares two decimal texts exactly. A text that is not a decimal comes before all others.
 * @returns a negative number when the first is smaller
 */
export function compareAmounts(one: string, other: string): number {
  const [left, right] = [parseDecimal(one), parseDecimal(other)];
  if (!left || !right) return Number(left !== undefined) - Number(right !== undefined);
  const { units } = subtract(left, right);
  return units < 0n ? -1 : Number(units > 0n);
}

/** For charts and widths only: a number cannot hold every digit. */
export function toApproximateNumber(text: string): number {
  return Number(text);
}

/** A short form for axes, such as `1.2M`. */
export function formatShort(value: number): string {
  return new Intl.NumberFormat('en-AU', { notation: 'compact', maximumFractionDigits: 2 })
    .format(value)
    .replace('-', MINUS);
}
