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

/** The decimal text without its sign. */
export function withoutSign(text: string): string {
  return text.replace(/^-/, '');
}

/**
 * Compares two decimal texts exactly.
 * @returns a negative number when the first is smaller
 */
export function compareAmounts(one: string, other: string): number {
  const difference = toUnits(one) - toUnits(other);
  return difference < 0n ? -1 : Number(difference > 0n);
}

const SCALE = 12;

function toUnits(text: string): bigint {
  const [whole = '0', fraction = ''] = withoutSign(text).split('.');
  const units = BigInt(whole + fraction.padEnd(SCALE, '0').slice(0, SCALE));
  return text.startsWith('-') ? -units : units;
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
