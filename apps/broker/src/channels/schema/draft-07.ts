/** A number as it is written in decimal: `digits` × 10^`exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/**
 * Whether a number is a whole multiple of another, as both are written in decimal: 19.99 is one of 0.01, which division of doubles denies.
 * @param divisor above 0; both finite
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [one, other] = [decimal(value), decimal(divisor)];
  const exponent = Math.min(one.exponent, other.exponent);
  return scaled(one, exponent) % scaled(other, exponent) === 0n;
}

/** From the shortest text that means the number, which is the one that was written unless it had more than 15 digits. */
function decimal(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
