/** An exact decimal: `units` of which ten to the power of `digits` make one. */
interface Decimal {
  readonly units: bigint;
  readonly digits: number;
}

/** @returns undefined for a text that is not a decimal */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign = '', whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return { units: BigInt(`${sign}${whole}${fraction}`), digits: fraction.length };
}

/** One minus the other, with as many digits after the point as the longer of them. */
export function subtract(one: Decimal, other: Decimal): Decimal {
  const digits = Math.max(one.digits, other.digits);
  const scale = ({ units, digits: own }: Decimal): bigint => units * 10n ** BigInt(digits - own);
  return { units: scale(one) - scale(other), digits };
}

export function formatDecimal({ units, digits }: Decimal): string {
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const fraction = digits === 0 ? '' : `.${text.slice(-digits)}`;
  return `${units < 0n ? '-' : ''}${whole}${fraction}`;
}
