import type { MarginForecastData } from '@ssb/events';
import { addDecimals, dateOf, type Decimal } from '@ssb/market';
import type { Calculation } from '../calculation.js';
import {
  correctingTransition,
  MAX_TRANSITIONS,
  type Change,
  type Decision,
  type StatedLevel,
} from './change.js';
import { isBelow } from './margin-level.js';
import { resolveBreach, type Policy } from './policy.js';

/** The forecast calculations of one `calculatedAt`. */
export interface ForecastRun {
  /** In the order of their trading days. */
  readonly calculations: readonly Calculation[];
  /** Position of the calculation with which the level was stated. */
  readonly stated?: string | undefined;
  readonly changes: number;
}

/** Whether the operator's forecast calculations are below the breach threshold. */
export interface OperatorForecastState {
  readonly level: MarginForecastData['level'];
  readonly run?: ForecastRun | undefined;
}

export const INITIAL_OPERATOR_FORECAST: OperatorForecastState = { level: 'CLEAR' };

type ForecastDecision = Decision<OperatorForecastState, 'forecast-operator'>;

/**
 * Decides a forecast calculation. A breach is forecast by the earliest trading day of a run whose margin is below the breach threshold; the
 * end of the run decides that there is none.
 */
export function decideOperatorForecast(
  state: OperatorForecastState,
  calculation: Calculation,
  policy: Policy,
): ForecastDecision {
  if (!calculation.isForecast || calculation.tradingMargin === undefined) return { state, changes: [] };
  const isSameRun = state.run?.calculations[0]?.at === calculation.at;
  const before = isSameRun ? { state, changes: [] } : completeOperatorForecast(state, policy);
  const run = (isSameRun && state.run) || { calculations: [], changes: 0 };
  const next = { ...before.state, run: { ...run, calculations: [...run.calculations, calculation] } };
  if (next.level === 'FORECAST') return { state: next, changes: before.changes };
  const after = completeOperatorForecast(next, policy);
  return { state: after.state, changes: [...before.changes, ...after.changes] };
}

/** Decides the run as a whole. Also after a change of the policy. */
export function completeOperatorForecast(state: OperatorForecastState, policy: Policy): ForecastDecision {
  const { run } = state;
  const ahead = listAhead(run, policy);
  const [first] = ahead;
  if (run === undefined || first === undefined || run.changes > MAX_TRANSITIONS)
    return { state, changes: [] };
  const breach = findBreach(ahead, state.level);
  const level = breach === undefined ? 'CLEAR' : 'FORECAST';
  if (level === state.level) return { state, changes: [] };
  // The level of one run is always stated with one calculation, so that its events stay in order.
  const stated = ahead.find(({ calculation }) => calculation.position === run.stated) ?? breach ?? first;
  return stateLevel({ level, run }, stated, breach, run.changes, policy);
}

/** States the level again, because the one that was stated last is another. */
export function correctOperatorForecast(
  state: OperatorForecastState,
  policy: Policy,
  stated: StatedLevel,
): ForecastDecision {
  const ahead = listAhead(state.run, policy);
  const next = ahead.find(({ calculation }) => calculation.position >= stated.position) ?? ahead.at(-1);
  if (state.run === undefined || next === undefined || stated.level === state.level)
    return { state, changes: [] };
  const breach = state.level === 'FORECAST' ? (findBreach(ahead, state.level) ?? next) : undefined;
  const transition = correctingTransition(stated, next.calculation.position, state.run.changes);
  return stateLevel(state, next, breach, transition, policy);
}

/** A forecast calculation within the horizon. */
interface AheadCalculation {
  readonly calculation: Calculation;
  readonly daysAhead: number;
  readonly tradingMargin: Decimal;
  readonly breach: Decimal;
  readonly hysteresis: Decimal;
}

const DAY_MS = 86_400_000;

function listAhead(run: ForecastRun | undefined, policy: Policy): AheadCalculation[] {
  return (run?.calculations ?? []).flatMap((calculation) => {
    const { tradingDay, calculatedAt, tradingMargin } = calculation;
    const amounts = resolveBreach(policy, calculation);
    const daysAhead = (Date.parse(dateOf(tradingDay)) - Date.parse(dateOf(calculatedAt))) / DAY_MS;
    const isAhead = daysAhead >= 0 && daysAhead <= policy.forecast.horizonDays;
    if (!isAhead || tradingMargin === undefined || amounts === undefined) return [];
    return [{ calculation, daysAhead, tradingMargin, ...amounts }];
  });
}

/** The earliest trading day below the threshold. To clear a forecast, each margin must reach the threshold plus the hysteresis. */
function findBreach(
  ahead: readonly AheadCalculation[],
  level: OperatorForecastState['level'],
): AheadCalculation | undefined {
  return ahead.find(({ tradingMargin, breach, hysteresis }) =>
    isBelow(tradingMargin, level === 'FORECAST' ? addDecimals(breach, hysteresis) : breach),
  );
}

function stateLevel(
  state: OperatorForecastState,
  { calculation, tradingMargin, breach }: AheadCalculation,
  forecast: AheadCalculation | undefined,
  transition: number,
  policy: Policy,
): ForecastDecision {
  const { tradingDay, calculatedAt, digest, position } = calculation;
  const change: Change<'forecast-operator'> = {
    topic: 'forecast-operator',
    position,
    data: {
      tradingDay,
      calculatedAt,
      isForecast: true,
      method: 'operator',
      tradingMargin,
      breach,
      horizonDays: policy.forecast.horizonDays,
      ...(forecast !== undefined && {
        daysUntilBreach: forecast.daysAhead.toFixed(1),
        breachDay: dateOf(forecast.calculation.tradingDay),
      }),
      digest,
      transition,
      level: state.level,
    },
  };
  const run = state.run && { ...state.run, stated: position, changes: transition + 1 };
  return { state: { ...state, run }, changes: [change] };
}
