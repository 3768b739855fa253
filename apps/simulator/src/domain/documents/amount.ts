import { parseDecimal, type Decimal } from '@ssb/market';

/** Money as a whole number of its smallest unit: cents (scale 2), or the 10⁻⁸ of a settlement variable (scale 8). */
export const CENTS = 2;
export const SETTLEMENT_SCALE = 8;

/** A decimal string as a whole number of units of 10^-scale. Digits beyond the scale must be zeros. */
export function unitsOf(decimal: string, scale: number): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === undefined || /[1-9]/.test(fraction.slice(scale))) {
    throw new RangeError(`${decimal} is no amount of ${scale} digits after the point`);
  }
  const kept = fraction.slice(0, scale).padEnd(scale, '0');
  const units = BigInt(whole + kept);
  return sign === '-' ? -units : units;
}

/** Writes units of 10^-scale with exactly `scale` digits after the point. */
export function decimalOf(units: bigint, scale: number): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return parseDecimal(`${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

/** Division rounded half away from zero, as invoices round. The divisor is positive. */
export function dividedRounded(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor : divisor;
  return (dividend * 2n + half) / (divisor * 2n);
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/**
 * Shares of a total in proportion to the weights. Each share ends where the rounded running total ends, so the shares add up exactly.
 * @param weights positive
 */
export function sharesOf(total: bigint, weights: readonly bigint[]): bigint[] {
  const whole = sum(weights);
  let weighed = 0n;
  let given = 0n;
  return weights.map((weight) => {
    weighed += weight;
    const share = (total * weighed) / whole - given;
    given += share;
    return share;
  });
}
