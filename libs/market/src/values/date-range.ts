import type { MarketDate, MarketDateTime } from './market-time.js';

/** Platforms send 0001-01-01, 1900-01-01, 1970-01-01 or 2000-01-01 for a date that is not set. The market began in 2006. */
const MIN_YEAR = 2001;
/** Timelines reach a few years ahead. */
const MAX_YEARS_AHEAD = 10;

export const RANGE_TEXT = `expected a date from ${MIN_YEAR} to ${MAX_YEARS_AHEAD} years ahead`;

/** Whether an issue says that a date is out of range. */
export function isRangeIssue({ message }: { readonly message: string }): boolean {
  return message === RANGE_TEXT;
}

/** Whether a date of the market can be meant. */
export function isInRange(date: MarketDate | MarketDateTime, now: Date): boolean {
  const year = Number(date.slice(0, 4));
  return year >= MIN_YEAR && year <= now.getUTCFullYear() + MAX_YEARS_AHEAD;
}
