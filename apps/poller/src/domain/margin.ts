import type { MarginLevel } from '@ssb/events';
import { addDecimals, compareDecimals, marketNow, type Decimal, type MarketDateTime } from '@ssb/market';

/** Amounts in AUD. `breach` is meant to lie below `warning`. */
export interface Thresholds {
  readonly warning: Decimal;
  readonly breach: Decimal;
  readonly hysteresis: Decimal;
}

/** A prudential calculation, as far as the margin is concerned. */
export interface MarginReading {
  readonly tradingDay: MarketDateTime;
  readonly calculatedAt: MarketDateTime;
  readonly tradingMargin: Decimal;
  readonly outstandingAmount?: Decimal;
}

/** What is remembered of the last calculation. */
export interface MarginState {
  readonly level: MarginLevel;
  readonly calculatedAt: MarketDateTime;
}

export type MarginDecision =
  /** Nothing new was calculated. */
  | { readonly kind: 'known' }
  /** A new calculation; the level is as it was. */
  | { readonly kind: 'steady'; readonly state: MarginState }
  /** A new calculation that moved the level. */
  | { readonly kind: 'moved'; readonly state: MarginState; readonly previousLevel: MarginLevel };

/** How far the operator's clock may be ahead of ours. */
const CLOCKS_APART_MS = 3_600_000;

/**
 * Compares a calculation with what is remembered. A calculation is new by `calculatedAt` alone: figures can be re-run for the same trading
 * day. One older than what is known (a lagging replica on the operator's side) is not new. With nothing remembered the margin counts as
 * having been OK, so a bad one is told at once.
 *
 * A calculation from the future (a wrong clock, a date of the year 9999) is judged like any other, but remembered as made now: taken at its
 * word, it would make every later one look old, and the next breach would never be told.
 */
export function decideMargin(
  previous: MarginState | undefined,
  reading: MarginReading,
  thresholds: Thresholds,
  now: Date,
): MarginDecision {
  if (previous !== undefined && reading.calculatedAt <= previous.calculatedAt) return { kind: 'known' };
  const previousLevel = previous?.level ?? 'OK';
  const level = levelOf(reading.tradingMargin, previousLevel, thresholds);
  const plausible = reading.calculatedAt <= marketNow(new Date(now.getTime() + CLOCKS_APART_MS));
  const state: MarginState = { level, calculatedAt: plausible ? reading.calculatedAt : marketNow(now) };
  return level === previousLevel ? { kind: 'steady', state } : { kind: 'moved', state, previousLevel };
}

/** The level of a margin, given the level before: a state is left only at its threshold plus the hysteresis. Exact, in decimals. */
export function levelOf(margin: Decimal, previous: MarginLevel, thresholds: Thresholds): MarginLevel {
  const { warning, breach, hysteresis } = thresholds;
  const leavesBreached = addDecimals(breach, hysteresis);
  const leavesWarning = addDecimals(warning, hysteresis);
  if (isBelow(margin, previous === 'BREACHED' ? leavesBreached : breach)) return 'BREACHED';
  // Whoever was in breach was below the warning as well: else a rise just over it would be told as restored, and its wobble as a new warning.
  if (isBelow(margin, previous === 'OK' ? warning : leavesWarning)) return 'WARNING';
  return 'OK';
}

function isBelow(margin: Decimal, threshold: Decimal): boolean {
  return compareDecimals(margin, threshold) < 0;
}
