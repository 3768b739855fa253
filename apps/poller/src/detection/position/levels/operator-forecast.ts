import type { MarginForecastData } from '@ssb/events';
import { addDecimals, dateOf, type MarketDate, type MarketDateTime } from '@ssb/market';
import { daysAhead, type Calculation } from '../calculation.js';
import {
  correctingTransition,
  MAX_TRANSITIONS,
  type Change,
  type Decision,
  type AnnouncedLevel,
} from './change.js';
import { isBelow, resolveBreach, type Policy } from './thresholds.js';

/** Whether the operator's forecast calculations are below the breach threshold. */
export interface OperatorForecastState {
  readonly level: MarginForecastData['level'];
  /** The forecast calculation of each trading day that has not passed and has no later calculation, in the order of the days. */
  readonly days: readonly Calculation[];
  /** The last calculation with a margin, forecast or not. */
  readonly last?: Calculation | undefined;
  /** The calculation since which no day is below. The forecast is cleared unless another one of its second is below. */
  readonly clearing?: Calculation | undefined;
  /** The calculation of the last announced level, and the number of levels that were announced with it. */
  readonly announced?: { readonly calculation: Calculation; readonly changes: number } | undefined;
}

export const INITIAL_OPERATOR_FORECAST: OperatorForecastState = { level: 'CLEAR', days: [] };

type ForecastDecision = Decision<OperatorForecastState, 'forecast-operator'>;

/** What a decision depends on, in addition to the calculations. */
export interface ForecastContext {
  readonly policy: Policy;
  /** The operator's forecasts of earlier dates are not read completely, so they are not announced. */
  readonly readFrom?: MarketDate | undefined;
}

/**
 * Applies a calculation. A breach is forecast while the latest forecast calculation of any trading day that has not passed is below the breach
 * threshold.
 */
export function decideOperatorForecast(
  state: OperatorForecastState,
  calculation: Calculation,
  context: ForecastContext,
): ForecastDecision {
  if (calculation.tradingMargin === undefined) return { state, changes: [] };
  const isSameTime = state.last?.at === calculation.at;
  const before = isSameTime ? { state, changes: [] } : completeOperatorForecast(state, context);
  const days = keepDays(before.state.days, calculation);
  const next = { ...before.state, last: calculation, days };
  const after =
    days === before.state.days ? { state: next, changes: [] } : decideDays(next, calculation, context);
  return { state: after.state, changes: [...before.changes, ...after.changes] };
}

/** Applies all days at the end of a second, and after a change of the policy. */
export function completeOperatorForecast(
  { clearing, ...state }: OperatorForecastState,
  context: ForecastContext,
): ForecastDecision {
  const [breach] = listBreaches(state, context.policy);
  const level = breach === undefined ? 'CLEAR' : 'FORECAST';
  const calculation = breach ?? clearing ?? state.announced?.calculation ?? state.last;
  if (level === state.level || calculation === undefined) return { state, changes: [] };
  return announceLevel({ ...state, level }, calculation, breach, context);
}

/** Announces the level again, because another level was announced last. */
export function correctOperatorForecast(
  state: OperatorForecastState,
  context: ForecastContext,
  announced: AnnouncedLevel,
): ForecastDecision {
  const calculation = state.days.find(({ sortKey }) => sortKey >= announced.sortKey) ?? state.last;
  if (calculation === undefined || announced.level === state.level) return { state, changes: [] };
  const [breach] = listBreaches(state, context.policy);
  return announceLevel(state, calculation, breach, context, announced);
}

/** The days that have not passed on the date of a calculation. The calculation replaces that of its day, and is kept when it is a forecast. */
function keepDays(days: readonly Calculation[], calculation: Calculation): readonly Calculation[] {
  const { isForecast, tradingDay, calculatedAt } = calculation;
  const [date, ownDay] = [dateOf(calculatedAt), dateOf(tradingDay)];
  const isKept = isForecast && ownDay >= date;
  const others = days.filter((day) => {
    const dayOf = dateOf(day.tradingDay);
    return dayOf >= date && dayOf !== ownDay;
  });
  if (!isKept) return others.length === days.length ? days : others;
  return [...others, calculation].sort((a, b) => (a.tradingDay < b.tradingDay ? -1 : 1));
}

/** Announces a breach at once. The end of a forecast is announced at the end of the second. */
function decideDays(
  { clearing, ...state }: OperatorForecastState,
  calculation: Calculation,
  context: ForecastContext,
): ForecastDecision {
  const breaches = listBreaches(state, context.policy);
  const [breach] = breaches;
  if (breach === undefined)
    return {
      state: state.level === 'CLEAR' ? state : { ...state, clearing: clearing ?? calculation },
      changes: [],
    };
  const isBreach = breaches.includes(calculation);
  // A forecast that earlier calculations set was not announced.
  if (!isBreach || (state.level === 'FORECAST' && state.announced !== undefined))
    return { state, changes: [] };
  return announceLevel({ ...state, level: 'FORECAST' }, calculation, breach, context);
}

/** The days within the horizon that are below the threshold. To clear a forecast, each margin must reach the threshold plus the hysteresis. */
function listBreaches({ days, level }: OperatorForecastState, policy: Policy): Calculation[] {
  return days.flatMap((calculation) => {
    const { tradingMargin } = calculation;
    const amounts = resolveBreach(policy, calculation);
    if (tradingMargin === undefined || amounts === undefined) return [];
    if (daysAhead(calculation) > policy.forecast.horizonDays) return [];
    const { breach, hysteresis } = amounts;
    const limit = level === 'FORECAST' ? addDecimals(breach, hysteresis) : breach;
    return isBelow(tradingMargin, limit) ? [calculation] : [];
  });
}

/** Announces the level with a calculation, or with the later one that announced a level before, to keep the events in order. */
function announceLevel(
  state: OperatorForecastState,
  decided: Calculation,
  breach: Calculation | undefined,
  { policy, readFrom }: ForecastContext,
  corrected?: AnnouncedLevel,
): ForecastDecision {
  const { announced } = state;
  const isLater = announced !== undefined && announced.calculation.sortKey >= decided.sortKey;
  const { calculation, changes } = isLater ? announced : { calculation: decided, changes: 0 };
  const { tradingDay, calculatedAt, isForecast, tradingMargin, digest, sortKey } = calculation;
  const transition = corrected ? correctingTransition(corrected, sortKey, changes) : changes;
  const amounts = resolveBreach(policy, calculation);
  const isPartlyRead = readFrom !== undefined && dateOf(calculatedAt) < readFrom;
  if (isPartlyRead || tradingMargin === undefined || amounts === undefined || transition > MAX_TRANSITIONS)
    return { state, changes: [] };
  const change: Change<'forecast-operator'> = {
    topic: 'forecast-operator',
    sortKey,
    data: {
      tradingDay,
      calculatedAt,
      isForecast,
      method: 'operator',
      tradingMargin,
      breach: amounts.breach,
      horizonDays: policy.forecast.horizonDays,
      ...(breach !== undefined && describeBreach(breach, calculatedAt)),
      digest,
      transition,
      level: state.level,
    },
  };
  return { state: { ...state, announced: { calculation, changes: transition + 1 } }, changes: [change] };
}

function describeBreach(
  { tradingDay }: Calculation,
  calculatedAt: MarketDateTime,
): Pick<MarginForecastData, 'daysUntilBreach' | 'breachDay'> {
  return {
    daysUntilBreach: daysAhead({ tradingDay, calculatedAt }).toFixed(1),
    breachDay: dateOf(tradingDay),
  };
}
