import { compareDecimals, tryParseDecimal, type Decimal } from '@ssb/config';
import { StyledText } from '@ssb/platform/cli';
import { showAmount } from '../output/text.js';

/** Below tables with amounts. */
export const AMOUNTS_NOTE = StyledText.of('Amounts in AUD. Days in market time (UTC+8).', 'dim');

/** Below tables with times. */
export const TIMES_NOTE = StyledText.of('Times in UTC, days in market time (UTC+8).', 'dim');

/** Below tables with both. */
export const AMOUNTS_AND_TIMES_NOTE = StyledText.of(
  'Amounts in AUD. Times in UTC, days in market time (UTC+8).',
  'dim',
);

/** An amount with its direction, without the sign that says the same. */
export function showPayable({
  payableAmount,
  direction,
}: {
  readonly payableAmount?: string | undefined;
  readonly direction?: string | undefined;
}): string {
  return direction === undefined
    ? showAmount(payableAmount)
    : `${direction} ${showAmount(absoluteOf(payableAmount ?? ''))}`;
}

export const absoluteOf = (amount: string): string => amount.replace(/^-/, '');

export const isNegative = (amount: string): boolean => amount.startsWith('-');

/** The row with the lowest amount. Rows without an amount are left out. */
export function lowestOf<Row>(
  rows: readonly Row[],
  amountOf: (row: Row) => string | undefined,
): Row | undefined {
  let lowest: { readonly row: Row; readonly amount: Decimal } | undefined;
  for (const row of rows) {
    const amount = tryParseDecimal(amountOf(row) ?? '');
    if (amount !== undefined && (lowest === undefined || compareDecimals(amount, lowest.amount) < 0))
      lowest = { row, amount };
  }
  return lowest?.row;
}

/** Whether the first amount is below the second; undefined unless both are amounts. */
export function isBelow(one: string | undefined, other: string | undefined): boolean | undefined {
  const [amount, limit] = [tryParseDecimal(one ?? ''), tryParseDecimal(other ?? '')];
  return amount === undefined || limit === undefined ? undefined : compareDecimals(amount, limit) < 0;
}
