import type { MarginLevel } from '@ssb/events';
import { addDecimals, compareDecimals, type Decimal, type MarketDateTime } from '@ssb/market';

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

/**
 * Compares a calculation with what is remembered. A calculation is new by `calculatedAt` alone: figures can be re-run for the same trading
 * day. One older than what is known (a lagging replica on the operator's side) is not new. With nothing remembered the margin counts as
 * having been OK, so a bad one is told at once.
 */
export function decideMargin(
  previous: MarginState | undefined,
  reading: MarginReading,
  thresholds: Thresholds,
): MarginDecision {
  if (previous !== undefined && reading.calculatedAt <= previous.calculatedAt) return { kind: 'known' };
  const previousLevel = previous?.level ?? 'OK';
  const level = levelOf(reading.tradingMargin, previousLevel, thresholds);
  const state: MarginState = { level, calculatedAt: reading.calculatedAt };
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
