import type { EventGuide, FactDefinition } from '../definition.js';
import {
  constant,
  date,
  dateTime,
  decimal,
  described,
  integer,
  object,
  oneOf,
  type ValueOf,
} from './json-schema.js';
import {
  CALCULATION_KEY,
  calculatedAt,
  isForecast,
  orderOfCalculation,
  rowDigest,
  tradingDay,
  tradingMargin,
  transition,
} from './position-properties.js';

/** How a breach is forecast. */
export const FORECAST_METHODS = ['operator', 'trend'] as const;
export type ForecastMethod = (typeof FORECAST_METHODS)[number];

const trend = object({
  calculations: described(integer(2, 1_000), 'Number of calculations in the window.'),
  from: described(dateTime, '`calculatedAt` of the first one; market time.'),
  to: described(dateTime, '`calculatedAt` of the last one; market time.'),
  changePerDay: described(decimal, 'Change of the trading margin per day by least squares, AUD.'),
});

const properties = {
  tradingDay,
  calculatedAt,
  isForecast,
  method: described(
    oneOf(...FORECAST_METHODS),
    'operator: the latest forecast calculation of a coming trading day is below the breach threshold. trend: the straight line through the last calculations reaches it.',
  ),
  tradingMargin,
  breach: described(decimal, 'The breach threshold in force, AUD.'),
  horizonDays: described(integer(1, 366), 'How far ahead the bridge looks, days.'),
  daysUntilBreach: described(
    decimal,
    'Days from the calculation to the forecast breach; one digit after the point.',
  ),
  breachDay: described(date, 'The trading day on which the breach is forecast; market date.'),
  trend: described(trend, 'The figures of the method `trend`.'),
  digest: rowDigest,
  transition,
} as const;

const forecastData = object({ ...properties, level: oneOf('FORECAST', 'CLEAR') }, [
  'daysUntilBreach',
  'breachDay',
  'trend',
]);
export type MarginForecastData = ValueOf<typeof forecastData>;

function defineForecast(
  level: MarginForecastData['level'],
  guide: EventGuide,
): FactDefinition<MarginForecastData> {
  const optional =
    level === 'FORECAST' ? (['trend'] as const) : (['daysUntilBreach', 'breachDay', 'trend'] as const);
  return {
    schema: object(
      { ...properties, level: described(constant(level), 'Whether a breach is forecast.') },
      optional,
    ),
    identity: {
      key: CALCULATION_KEY,
      version: '{level}|{breach:amount}|{method}|{horizonDays}|{transition}',
      subject: '{participant}/margin-forecast/{method}',
    },
    order: (data) => orderOfCalculation(data, data.transition),
    announcesProblem: (data) => data.level === 'FORECAST',
    guide,
  };
}

export const marginBreachForecast = defineForecast('FORECAST', {
  when: 'The latest forecast calculation of the operator for a trading day within the horizon is below the breach threshold, or the trend of the last calculations reaches it within the horizon.',
  response: 'Plan cash or credit support for the day of the forecast breach.',
  notRecovered:
    'Forecasts on calculations before the trading days that a start without saved state reads (PRUDENTIAL_RECOVERY_DAYS). A forecast of the operator that began earlier and still holds is announced with the next one that is below the threshold, so under another id.',
});
export const marginForecastCleared = defineForecast('CLEAR', {
  when: 'After a forecast of a breach, no breach is forecast by the same method: later calculations are above the threshold, or the trading days have passed.',
  response: 'End the measures that the forecast started.',
  notRecovered: 'As for margin.breach-forecast.',
});
