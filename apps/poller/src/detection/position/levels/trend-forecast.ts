import type { MarginForecastData } from '@ssb/events';
import { parseDecimal, toMarketDate, type Decimal } from '@ssb/market';
import type { Calculation } from '../calculation.js';
import {
  correctingTransition,
  MAX_TRANSITIONS,
  type Change,
  type Decision,
  type AnnouncedLevel,
} from './change.js';
import { isBelow, resolveBreach, type Policy } from './thresholds.js';

/** Whether the trend of the last calculations reaches the breach threshold. */
export interface TrendForecastState {
  readonly level: MarginForecastData['level'];
  /** The last actual calculations with a trading margin, one for each `calculatedAt`. */
  readonly window: readonly Calculation[];
  /** Number of changes that were decided on the last of them. */
  readonly changes: number;
}

export const INITIAL_TREND_FORECAST: TrendForecastState = { level: 'CLEAR', window: [], changes: 0 };

type ForecastDecision = Decision<TrendForecastState, 'forecast-trend'>;

/**
 * Adds an actual calculation to the window. Of one `calculatedAt`, only the calculation of the latest trading day counts, so it is applied at
 * the next `calculatedAt` or at the end of the response.
 */
export function decideTrendForecast(
  state: TrendForecastState,
  calculation: Calculation,
  policy: Policy,
): ForecastDecision {
  if (calculation.isForecast || calculation.tradingMargin === undefined) return { state, changes: [] };
  const isSameTime = state.window.at(-1)?.at === calculation.at;
  const before = isSameTime ? { state, changes: [] } : completeTrendForecast(state, policy);
  const earlier = isSameTime ? state.window.slice(0, -1) : before.state.window;
  const window = trimWindow([...earlier, calculation], policy);
  return { state: { ...before.state, window, changes: 0 }, changes: before.changes };
}

/** Applies the last calculation, and applies it again after a change of the policy. */
export function completeTrendForecast(previous: TrendForecastState, policy: Policy): ForecastDecision {
  const state = { ...previous, window: trimWindow(previous.window, policy) };
  const last = findLast(state, policy);
  const level = last && trendLevel(state, last, policy);
  if (level === undefined || level === state.level || state.changes > MAX_TRANSITIONS)
    return { state, changes: [] };
  return announceLevel({ ...state, level }, policy, state.changes);
}

/** Announces the level again, because another level was announced last. */
export function correctTrendForecast(
  state: TrendForecastState,
  policy: Policy,
  announced: AnnouncedLevel,
): ForecastDecision {
  const last = state.window.at(-1);
  if (last === undefined || announced.level === state.level) return { state, changes: [] };
  return announceLevel(state, policy, correctingTransition(announced, last.sortKey, state.changes));
}

interface LastMargin {
  readonly calculation: Calculation;
  readonly tradingMargin: Decimal;
  readonly breach: Decimal;
}

function findLast({ window }: TrendForecastState, policy: Policy): LastMargin | undefined {
  const calculation = window.at(-1);
  if (calculation?.tradingMargin === undefined) return undefined;
  const amounts = resolveBreach(policy, calculation);
  return amounts && { calculation, tradingMargin: calculation.tradingMargin, breach: amounts.breach };
}

/** A forecast is cleared only when the breach is this many horizons away. Otherwise it would alternate at the end of the horizon. */
const CLEARS_AT_HORIZONS = 1.5;

/**
 * Undefined when the trend decides nothing: the window is too short, or the margin is already below the threshold. A window that is too short
 * can still clear a forecast.
 */
function trendLevel(
  { level, window }: TrendForecastState,
  { tradingMargin, breach }: LastMargin,
  { forecast }: Policy,
): TrendForecastState['level'] | undefined {
  if (forecast.trend.method === 'none') return 'CLEAR';
  const canDecide = level === 'FORECAST' || isLongEnough(window, forecast.trend.minSpanMs);
  const line = canDecide ? fitLine(window) : undefined;
  if (line === undefined || isBelow(tradingMargin, breach)) return undefined;
  const horizons = level === 'FORECAST' ? CLEARS_AT_HORIZONS : 1;
  return daysUntil(line, breach) <= forecast.horizonDays * horizons ? 'FORECAST' : 'CLEAR';
}

/** Largest window. A window that does not cover the least span has no trend. */
const MAX_WINDOW = 1_000;

/** The latest calculations that have both the number and the span of the policy. */
function trimWindow(window: readonly Calculation[], { forecast }: Policy): readonly Calculation[] {
  const { calculations, minSpanMs } = forecast.trend;
  const end = window.at(-1)?.at ?? 0;
  const isSpanned = (from: Calculation | undefined): boolean =>
    from !== undefined && end - from.at >= minSpanMs;
  let start = Math.max(0, window.length - MAX_WINDOW);
  // From the front, because a window that was trimmed before loses few.
  while (start < window.length - calculations && isSpanned(window[start + 1])) start += 1;
  return start === 0 ? window : window.slice(start);
}

/** A few calculations within minutes say nothing about the coming days. */
function isLongEnough(window: readonly Calculation[], minSpanMs: number): boolean {
  const [first, last] = [window[0], window.at(-1)];
  return first !== undefined && last !== undefined && last.at - first.at >= minSpanMs;
}

const DAY_MS = 86_400_000;
const MIN_CALCULATIONS = 3;

interface Line {
  /** AUD per day. */
  readonly slope: number;
  /** Value of the line at the last calculation, AUD. */
  readonly atLast: number;
}

/**
 * The straight line of least squares through the trading margins of the window against `calculatedAt`. A statistic, so it is computed with
 * doubles.
 */
function fitLine(window: readonly Calculation[]): Line | undefined {
  const last = window.at(-1);
  if (last === undefined || window.length < MIN_CALCULATIONS) return undefined;
  // Loops without copies, because every calculation of a response fits a line.
  let days = 0;
  let margins = 0;
  for (const { at, approximateMargin } of window) {
    days += (at - last.at) / DAY_MS;
    margins += approximateMargin;
  }
  const meanDay = days / window.length;
  const meanMargin = margins / window.length;
  let spread = 0;
  let product = 0;
  for (const { at, approximateMargin } of window) {
    const distance = (at - last.at) / DAY_MS - meanDay;
    spread += distance * distance;
    product += distance * (approximateMargin - meanMargin);
  }
  const slope = product / spread;
  return Number.isFinite(slope) ? { slope, atLast: meanMargin - slope * meanDay } : undefined;
}

/** Days from the last calculation until the line is at the threshold; infinite when it does not fall. */
function daysUntil({ slope, atLast }: Line, breach: Decimal): number {
  if (slope >= 0) return Infinity;
  return Math.max(0, (Number(breach) - atLast) / slope);
}

function announceLevel(state: TrendForecastState, policy: Policy, transition: number): ForecastDecision {
  const last = findLast(state, policy);
  if (last === undefined) return { state, changes: [] };
  const { calculation, tradingMargin, breach } = last;
  const { tradingDay, calculatedAt, digest, sortKey } = calculation;
  const change: Change<'forecast-trend'> = {
    topic: 'forecast-trend',
    sortKey,
    data: {
      tradingDay,
      calculatedAt,
      isForecast: false,
      method: 'trend',
      tradingMargin,
      breach,
      horizonDays: policy.forecast.horizonDays,
      ...describeTrend(state, last),
      digest,
      transition,
      level: state.level,
    },
  };
  return { state: { ...state, changes: transition + 1 }, changes: [change] };
}

/** A forecast never looks further ahead. */
const MAX_DAYS = 1_000;

function describeTrend(
  { level, window }: TrendForecastState,
  { calculation, tradingMargin, breach }: LastMargin,
): Pick<MarginForecastData, 'daysUntilBreach' | 'breachDay' | 'trend'> {
  const line = fitLine(window);
  const [first] = window;
  const isBreached = isBelow(tradingMargin, breach);
  const days = line === undefined || isBreached ? 0 : Math.min(MAX_DAYS, daysUntil(line, breach));
  return {
    ...(level === 'FORECAST' && {
      daysUntilBreach: days.toFixed(1),
      breachDay: toMarketDate(new Date(calculation.at + days * DAY_MS)),
    }),
    ...(line !== undefined &&
      first !== undefined && {
        trend: {
          calculations: window.length,
          from: first.calculatedAt,
          to: calculation.calculatedAt,
          changePerDay: parseDecimal(line.slope.toFixed(2)),
        },
      }),
  };
}
