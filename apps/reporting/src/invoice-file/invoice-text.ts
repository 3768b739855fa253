import type { Decimal } from '@ssb/market';

/**
 * Formats an amount with grouped thousands and at least two decimals: `-1234567.5` becomes `-1,234,567.50`.
 * Further zeros are dropped, and every other digit is kept, since no number is made of it.
 */
export function formatAmount(amount: Decimal): string {
  const negative = amount.startsWith('-');
  const [whole = '', fraction = ''] = amount.slice(negative ? 1 : 0).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  const cents = fraction.replace(/0+$/, '').padEnd(2, '0');
  return `${negative ? '-' : ''}${grouped}.${cents}`;
}

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const LONE_SURROGATES = /\p{Cs}/gu;

/** The text on one line, with a blank for each run of control characters and U+FFFD for a lone surrogate. */
export function toPrintable(text: string): string {
  return text.replace(CONTROLS, ' ').replace(LONE_SURROGATES, '\ufffd').trim();
}

/** The lines of the text, without blank ones. */
export function toPrintableLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(toPrintable)
    .filter((line) => line !== '');
}
