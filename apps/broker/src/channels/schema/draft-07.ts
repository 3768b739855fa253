/** Where JSON Schema draft-07 and Ajv differ. */

/** A number in decimal notation: `digits` × 10^`exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/**
 * Whether a number is a multiple of another in decimal arithmetic. With doubles, 19.99 is not a multiple of 0.01.
 * @param divisor above 0; both finite
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

/** Keywords whose members are named by the schema's author. */
const NAMED_MEMBERS = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
/** Keywords whose value is data. */
const DATA = new Set(['enum', 'const', 'default', 'examples']);

/** Removes an unknown keyword from a parsed schema and its subschemas. Draft-07 §6.4 ignores it, but Ajv may apply it. */
export function removeKeyword(schema: unknown, keyword: string): void {
  // The keys of a name map are names that the author chose, not keywords.
  const pending: { readonly value: unknown; readonly isNameMap: boolean }[] = [
    { value: schema, isNameMap: false },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, isNameMap } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (!isNameMap && !Array.isArray(value)) Reflect.deleteProperty(value, keyword);
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      if (isNameMap || !DATA.has(key)) {
        pending.push({ value: member, isNameMap: !isNameMap && NAMED_MEMBERS.has(key) });
      }
    }
  }
}
