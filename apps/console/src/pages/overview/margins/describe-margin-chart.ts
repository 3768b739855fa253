import { formatAmount } from '../../../format/amount.js';
import { formatDay, formatTime } from '../../../format/market-time.js';
import { forecastsOf, lowestOf, readingsOf, type MarginSeries } from './margin-chart.js';
import type { Range } from './ranges.js';

/** What a chart shows, in sentences, for people who do not see it. */
export function describeMarginChart(participant: string, range: Range, series: MarginSeries): string {
  const readings = readingsOf(series);
  const forecasts = forecastsOf(series);
  const { thresholds } = series;
  const lowest = lowestOf(series);
  return [
    `Trading margin of ${participant} over ${range.label} until now.`,
    lowest === undefined
      ? 'No calculation.'
      : `Lowest ${formatAmount(lowest.margin)} at ${formatTime(lowest.at)}, last ${formatAmount(readings.at(-1)?.margin ?? '')}.`,
    ...forecasts.map(
      ({ tradingDay, margin }) => `Forecast for ${formatDay(tradingDay)}: ${formatAmount(margin)}.`,
    ),
    ...(thresholds === undefined
      ? []
      : [
          `Warning below ${formatAmount(thresholds.warning)}, breach below ${formatAmount(thresholds.breach)}.`,
        ]),
  ].join(' ');
}
