import type { Decimal } from '@ssb/market';

/**
 * An amount for people: thousands are grouped, at least two digits stand after the point, and zeros beyond those are left out.
 * Every other digit is the invoice's own, since no number is made of it on the way: `-1234567.5` is `-1,234,567.50`.
 */
export function writeAmount(amount: Decimal): string {
  const negative = amount.startsWith('-');
  const [whole = '', fraction = ''] = amount.slice(negative ? 1 : 0).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  const cents = fraction.replace(/0+$/, '').padEnd(2, '0');
  return `${negative ? '-' : ''}${grouped}.${cents}`;
}
