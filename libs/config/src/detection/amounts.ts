import {
  compareDecimals,
  isDecimal,
  percentOf,
  subtractDecimals,
  tryParseDecimal,
} from '@ssb/market/decimal';
import type { Decimal } from '@ssb/market/decimal';
import type { MarginSettings, Threshold } from './detection-settings.js';

/** The threshold in AUD; undefined when it is a share and there is no trading limit. */
export function resolveThreshold(
  threshold: Threshold,
  tradingLimit: Decimal | undefined,
): Decimal | undefined {
  if (threshold.kind === 'amount') return threshold.amount;
  if (tradingLimit === undefined) return undefined;
  const share = percentOf(tradingLimit, threshold.percent);
  // Events have a maximum length for numbers.
  return isDecimal(share) ? share : undefined;
}

/** The thresholds of a margin as texts, for a trading limit; undefined when one of them needs a limit that is missing. */
export function resolveMarginThresholds(
  { warning, breach }: Pick<MarginSettings, 'warning' | 'breach'>,
  tradingLimit: string | undefined,
): { readonly warning: string; readonly breach: string } | undefined {
  const limit = tradingLimit === undefined ? undefined : tryParseDecimal(tradingLimit);
  const amounts = { warning: resolveThreshold(warning, limit), breach: resolveThreshold(breach, limit) };
  return amounts.warning === undefined || amounts.breach === undefined
    ? undefined
    : { warning: amounts.warning, breach: amounts.breach };
}

/** How far an amount is above a threshold, with every digit; negative below it. Undefined for a text that is not a number. */
export function headroomAbove(threshold: string, amount: string): string | undefined {
  const [limit, value] = [tryParseDecimal(threshold), tryParseDecimal(amount)];
  return limit === undefined || value === undefined ? undefined : subtractDecimals(value, limit);
}

/** Whether the participant pays or receives an amount; undefined for zero. @param positiveAmount what a positive amount means */
export function paymentDirection(
  amount: string,
  positiveAmount: 'pay' | 'receive',
): 'pay' | 'receive' | undefined {
  const value = tryParseDecimal(amount);
  const sign = value === undefined ? 0 : compareDecimals(value, ZERO);
  if (sign === 0) return undefined;
  return sign > 0 ? positiveAmount : positiveAmount === 'pay' ? 'receive' : 'pay';
}

const ZERO = '0' as Decimal;
