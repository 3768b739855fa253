/** A number in decimal notation: `digits` × 10^`exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/**
 * Whether a number is a multiple of another in decimal arithmetic. With doubles, 19.99 is not a multiple of 0.01.
 * Both must be finite. @param divisor above 0
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [dividendDecimal, divisorDecimal] = [toDecimal(value), toDecimal(divisor)];
  const exponent = Math.min(dividendDecimal.exponent, divisorDecimal.exponent);
  return scale(dividendDecimal, exponent) % scale(divisorDecimal, exponent) === 0n;
}

/** Converts the shortest text that denotes the double. The author wrote the same number unless it had more than 15 digits. */
function toDecimal(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function scale({ digits, exponent }: Decimal, toExponent: number): bigint {
  return digits * 10n ** BigInt(exponent - toExponent);
}
