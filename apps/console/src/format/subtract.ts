import { formatDecimal, parseDecimal, subtract } from './decimal.js';

/**
 * The exact difference of two decimal texts. It has as many digits after the point as the longer of them.
 * @returns an empty text when one of them is not a decimal
 */
export function subtractAmounts(one: string, other: string): string {
  const [left, right] = [parseDecimal(one), parseDecimal(other)];
  return left && right ? formatDecimal(subtract(left, right)) : '';
}
