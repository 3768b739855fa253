import { compareDecimals, tryParseDecimal, type Decimal } from '@ssb/config';
import { toMarketTime } from '@ssb/events';
import { StyledText } from '@ssb/platform/cli';
import { tryParseDuration } from '@ssb/config/duration';

/** The market day of a date, or of a time such as `7d` ago. Any other text is left to the API. */
export function toMarketDay(text: string | undefined): string | undefined {
  const ago = text === undefined ? undefined : tryParseDuration(text);
  return ago === undefined ? text : toMarketTime(new Date(Date.now() - ago)).slice(0, 10);
}

/** Below tables with amounts. */
export const AMOUNTS_NOTE = StyledText.of('Amounts in AUD. Days in market time (UTC+8).', 'dim');

/** Before every run and invoice. */
export const FIRST_DAY = '1970-01-01';

export const marketToday = (): string => toMarketTime(new Date()).slice(0, 10);

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
