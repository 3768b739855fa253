import { parseDecimal, type Decimal } from '@ssb/market';

const CENTS_SCALE = 2;
/** Digits after the point of a settlement variable. */
export const SETTLEMENT_SCALE = 8;
/** Units of a settlement variable in a cent. */
export const UNITS_PER_CENT = 10n ** BigInt(SETTLEMENT_SCALE - CENTS_SCALE);

/** Converts a decimal string to units of 10^-scale. @throws RangeError if it has more digits */
export function toUnits(decimal: string, scale: number): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === undefined || /[1-9]/.test(fraction.slice(scale))) {
    throw new RangeError(`${decimal} is not an amount with ${scale} digits after the point`);
  }
  const units = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  return sign === '-' ? -units : units;
}

/** Formats units of 10^-scale with exactly `scale` digits after the point. */
export function toDecimal(units: bigint, scale: number): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return parseDecimal(`${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

/** Converts an amount of money to cents. @throws RangeError if it has a fraction of a cent */
export function toCents(money: string): bigint {
  return toUnits(money, CENTS_SCALE);
}

/** Formats cents with two digits after the point. */
export function toMoney(cents: bigint): Decimal {
  return toDecimal(cents, CENTS_SCALE);
}

/** Divides by a positive divisor and rounds half away from zero, as invoices do. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor : divisor;
  return (dividend * 2n + half) / (divisor * 2n);
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** Splits a total in proportion to positive weights. The shares add up exactly to the total. */
export function splitByWeights(total: bigint, weights: readonly bigint[]): bigint[] {
  const totalWeight = sum(weights);
  let weightSoFar = 0n;
  let splitSoFar = 0n;
  return weights.map((weight) => {
    weightSoFar += weight;
    const share = (total * weightSoFar) / totalWeight - splitSoFar;
    splitSoFar += share;
    return share;
  });
}
