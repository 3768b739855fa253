import { withoutSign } from './amount.js';

/** The exact difference of two decimal texts. It has as many digits after the point as the longer of them. */
export function subtractAmounts(one: string, other: string): string {
  const digits = Math.max(countFraction(one), countFraction(other));
  const difference = toUnits(one, digits) - toUnits(other, digits);
  const text = String(difference < 0n ? -difference : difference).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const fraction = digits === 0 ? '' : `.${text.slice(-digits)}`;
  return `${difference < 0n ? '-' : ''}${whole}${fraction}`;
}

const countFraction = (text: string): number => text.split('.')[1]?.length ?? 0;

function toUnits(text: string, digits: number): bigint {
  const [whole = '0', fraction = ''] = withoutSign(text).split('.');
  const units = BigInt(whole + fraction.padEnd(digits, '0'));
  return text.startsWith('-') ? -units : units;
}
