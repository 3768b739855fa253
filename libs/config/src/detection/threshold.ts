import { compareDecimals, parseDecimal } from '@ssb/market/decimal';
import type { Threshold } from './detection-settings.js';

const AMOUNT = String.raw`(0|[1-9]\d{0,22})(\.\d{1,8})?`;
const PERCENT = String.raw`(100(\.0{1,8})?|[1-9]?\d(\.\d{1,8})?)`;

/** An amount in AUD, or a share of the trading limit with a percent sign. */
export const THRESHOLD = new RegExp(`^-?(${AMOUNT}|${PERCENT}%)$`);
export const POSITIVE_THRESHOLD = new RegExp(`^(${AMOUNT}|${PERCENT}%)$`);
export const POSITIVE_AMOUNT = new RegExp(`^${AMOUNT}$`);
export const PERCENTAGE = new RegExp(`^${PERCENT}$`);

/** @throws InvalidDecimalError for a text that the schema refuses */
export function parseThreshold(text: string): Threshold {
  return text.endsWith('%')
    ? { kind: 'share', percent: parseDecimal(text.slice(0, -1)) }
    : { kind: 'amount', amount: parseDecimal(text) };
}

/** As `compareDecimals`; undefined for an amount and a share, whose order depends on the trading limit. */
export function compareThresholds(a: Threshold, b: Threshold): -1 | 0 | 1 | undefined {
  if (a.kind === 'amount') return b.kind === 'amount' ? compareDecimals(a.amount, b.amount) : undefined;
  return b.kind === 'share' ? compareDecimals(a.percent, b.percent) : undefined;
}
