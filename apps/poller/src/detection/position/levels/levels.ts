import type { MarketDate } from '@ssb/market';
import type { Calculation } from '../calculation.js';
import type { AnnouncedLevel, Change, Topic } from './change.js';
import { correctCreditSupport, INITIAL_CREDIT_SUPPORT, type CreditSupportState } from './credit-support.js';
import { correctMargin, INITIAL_MARGIN, type MarginState } from './margin.js';
import {
  correctOperatorForecast,
  INITIAL_OPERATOR_FORECAST,
  type OperatorForecastState,
} from './operator-forecast.js';
import type { Policy } from './thresholds.js';
import { correctTrendForecast, INITIAL_TREND_FORECAST, type TrendForecastState } from './trend-forecast.js';

/** All levels after a calculation. */
export interface Levels {
  readonly margin: MarginState;
  readonly creditSupport: CreditSupportState;
  readonly operatorForecast: OperatorForecastState;
  readonly trendForecast: TrendForecastState;
  /** The latest actual calculation, even without figures. */
  readonly latest?: Pick<Calculation, 'tradingDay' | 'calculatedAt'> | undefined;
  /** The first trading day that was read without a state, or after an outage that was longer than the recovery days. */
  readonly readFrom?: MarketDate | undefined;
}

export const INITIAL_LEVELS: Levels = {
  margin: INITIAL_MARGIN,
  creditSupport: INITIAL_CREDIT_SUPPORT,
  operatorForecast: INITIAL_OPERATOR_FORECAST,
  trendForecast: INITIAL_TREND_FORECAST,
};

/** The levels after a decision, and what changed. */
export interface LevelsDecision {
  readonly levels: Levels;
  readonly changes: readonly Change[];
}

/** Announces the level of a topic again, because another level was announced last. */
export function correctLevel(
  levels: Levels,
  topic: Topic,
  policy: Policy,
  announced: AnnouncedLevel,
): LevelsDecision {
  switch (topic) {
    case 'margin': {
      const { state, changes } = correctMargin(levels.margin, policy, announced);
      return { levels: { ...levels, margin: state }, changes };
    }
    case 'credit-support': {
      const { state, changes } = correctCreditSupport(levels.creditSupport, announced);
      return { levels: { ...levels, creditSupport: state }, changes };
    }
    case 'forecast-operator': {
      const context = { policy, readFrom: levels.readFrom };
      const { state, changes } = correctOperatorForecast(levels.operatorForecast, context, announced);
      return { levels: { ...levels, operatorForecast: state }, changes };
    }
    case 'forecast-trend': {
      const { state, changes } = correctTrendForecast(levels.trendForecast, policy, announced);
      return { levels: { ...levels, trendForecast: state }, changes };
    }
  }
}

export function levelOf(levels: Levels, topic: Topic): string {
  switch (topic) {
    case 'margin':
      return levels.margin.level;
    case 'credit-support':
      return levels.creditSupport.level;
    case 'forecast-operator':
      return levels.operatorForecast.level;
    case 'forecast-trend':
      return levels.trendForecast.level;
  }
}
