import type { MarginLevel } from '@ssb/events';
import {
  addDecimals,
  compareDecimals,
  toMarketDateTime,
  parseMarketDateTime,
  type Decimal,
  type MarketDateTime,
  type PrudentialCalculationSummary,
} from '@ssb/market';

/** Amounts in AUD. `breach` lies below `warning`. */
export interface Thresholds {
  readonly warning: Decimal;
  readonly breach: Decimal;
  readonly hysteresis: Decimal;
}

/** The fields of a prudential calculation that decide the margin's level. */
export interface MarginFigures {
  readonly tradingDay: MarketDateTime;
  readonly calculatedAt: MarketDateTime;
  readonly tradingMargin: Decimal;
  readonly outstandingAmount?: Decimal;
}

/** The saved result of the last calculation. */
export interface MarginState {
  readonly level: MarginLevel;
  readonly calculatedAt: MarketDateTime;
}

export type MarginDecision =
  /** No new calculation. */
  | { readonly kind: 'not-newer' }
  /** A new calculation with the same level. */
  | { readonly kind: 'unchanged'; readonly state: MarginState }
  /** A new calculation with another level. */
  | { readonly kind: 'changed'; readonly state: MarginState; readonly previousLevel: MarginLevel };

/** `reason` says why the summary is not used. */
export type MarginFiguresResult =
  | { readonly ok: true; readonly figures: MarginFigures }
  | { readonly ok: false; readonly reason: string };

/** Reads the margin from a summary (document 000, PrudentialCalculationSummary). The document requires no field, so each needed one is checked. */
export function readPrudentialSummary(
  participant: string,
  summary: PrudentialCalculationSummary,
): MarginFiguresResult {
  const { participantCode, tradingDay, calculatedAt, tradingMargin, outstandingAmount } = summary;
  if (participantCode != null && participantCode !== participant) {
    return { ok: false, reason: 'other-participant' };
  }
  if (tradingDay === undefined || calculatedAt === undefined || tradingMargin === undefined) {
    const required = { tradingDay, calculatedAt, tradingMargin };
    const missing = Object.entries(required).flatMap(([name, value]) => (value === undefined ? [name] : []));
    return { ok: false, reason: `incomplete, missing ${missing.join(', ')}` };
  }
  return {
    ok: true,
    figures: {
      tradingDay,
      calculatedAt: truncateToMilliseconds(calculatedAt),
      tradingMargin,
      outstandingAmount,
    },
  };
}

/** Some servers send seven fractional digits, and events carry three. Truncation gives the same calculation the same key. */
function truncateToMilliseconds(time: MarketDateTime): MarketDateTime {
  return parseMarketDateTime(time.replace(/(\.\d{3})\d+$/, '$1'));
}

/** How far the market's clock may be ahead of this one. */
const MAX_CLOCK_SKEW_MS = 3_600_000;

/** Compares a calculation with the saved state. Only a later `calculatedAt` makes it new, because a trading day can be calculated again. */
export function decideMargin(
  previous: MarginState | undefined,
  figures: MarginFigures,
  thresholds: Thresholds,
  now: Date,
): MarginDecision {
  if (previous !== undefined && figures.calculatedAt <= previous.calculatedAt) return { kind: 'not-newer' };
  // Without a saved state the margin counts as OK, so a first breach becomes an event.
  const previousLevel = previous?.level ?? 'OK';
  const level = marginLevel(figures.tradingMargin, previousLevel, thresholds);
  // A time in the far future is saved as now. Otherwise every later calculation would look old, and a breach would be missed.
  const plausible = figures.calculatedAt <= toMarketDateTime(new Date(now.getTime() + MAX_CLOCK_SKEW_MS));
  const state: MarginState = {
    level,
    calculatedAt: plausible ? figures.calculatedAt : toMarketDateTime(now),
  };
  return level === previousLevel ? { kind: 'unchanged', state } : { kind: 'changed', state, previousLevel };
}

/**
 * Decides without trust in the saved state: its event may be lost, or the state may be an earlier one. A level other than OK becomes an
 * event in any case, so the same event may be created again.
 */
export function decideMarginAgain(
  known: MarginState | undefined,
  figures: MarginFigures,
  thresholds: Thresholds,
  now: Date,
): MarginDecision {
  const decision = decideMargin(known, figures, thresholds, now);
  return decision.kind === 'changed' ? decision : decideMargin(undefined, figures, thresholds, now);
}

/** The level of a margin. To leave a level, the margin must reach its threshold plus the hysteresis. */
export function marginLevel(margin: Decimal, previous: MarginLevel, thresholds: Thresholds): MarginLevel {
  const { warning, breach, hysteresis } = thresholds;
  const leavesBreached = addDecimals(breach, hysteresis);
  const leavesWarning = addDecimals(warning, hysteresis);
  if (isBelow(margin, previous === 'BREACHED' ? leavesBreached : breach)) return 'BREACHED';
  // The warning's hysteresis also applies after a breach. Otherwise a margin just above the warning would alternate between OK and WARNING.
  if (isBelow(margin, previous === 'OK' ? warning : leavesWarning)) return 'WARNING';
  return 'OK';
}

function isBelow(margin: Decimal, threshold: Decimal): boolean {
  return compareDecimals(margin, threshold) < 0;
}
