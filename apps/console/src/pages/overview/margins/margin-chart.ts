import type { ForecastPosition, MarginBucket, MarginThresholds } from '../../../api/operations.js';
import { compareAmounts, formatAmount, toApproximateNumber } from '../../../format/amount.js';
import { formatDay, formatTime } from '../../../format/market-time.js';
import { shortDay, timeTicks } from '../../../format/time-ticks.js';
import type { ChartData, ChartPoint } from '../../../ui/chart-data.js';

export interface MarginSeries {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly now: number;
  readonly calculated: readonly MarginBucket[];
  readonly forecasts: readonly ForecastPosition[];
  readonly thresholds: MarginThresholds | undefined;
}

export interface MarginReading {
  readonly at: string;
  readonly margin: string;
}

/** The forecasts are days, which would leave no room for the hours before: they have a scale of their own. */
const NOW = 1;
const FORECAST_STEP = 0.15;
const MAX_FORECAST_WIDTH = 0.6;
const MAX_TICKS = 6;

/** The margin until now, then a point for each day of the forecast. */
export function toMarginChart(series: MarginSeries): ChartData {
  const { since, now, thresholds } = series;
  const place = (at: number): number => (NOW * (at - since)) / (now - since);
  const past = readingsOf(series).map(({ at, margin }) =>
    toPoint(place(Date.parse(at)), margin, formatTime(at)),
  );
  const forecasts = forecastsOf(series);
  const step = Math.min(FORECAST_STEP, MAX_FORECAST_WIDTH / Math.max(1, forecasts.length));
  const coming = forecasts.map(({ tradingDay, margin }, index) =>
    toPoint(NOW + (index + 1) * step, margin, `forecast for ${formatDay(tradingDay)}`),
  );
  const last = past.at(-1);
  return {
    range: [0, coming.length === 0 ? NOW : NOW + (coming.length + 0.5) * step],
    ticks: [
      ...timeTicks(since, now, MAX_TICKS).map(({ at, text }) => ({ x: place(at), text })),
      ...coming.map(({ x }, index) => ({ x, text: shortDay(formatDay(forecasts[index]?.tradingDay ?? '')) })),
    ],
    lines: [
      { name: 'trading margin', isDashed: false, points: past },
      ...(coming.length === 0
        ? []
        : [
            {
              name: 'forecast of the operator',
              isDashed: true,
              points: last === undefined ? coming : [last, ...coming],
            },
          ]),
    ],
    thresholds:
      thresholds === undefined
        ? []
        : [
            toThreshold('warning', thresholds.warning, 'warning'),
            toThreshold('breach', thresholds.breach, 'critical'),
          ],
    ...(coming.length > 0 && { divider: { x: NOW, text: 'by day' } }),
  };
}

/** What each part of a series says at its ends and extremes, by time. */
export function readingsOf({ since, now, calculated }: MarginSeries): readonly MarginReading[] {
  const byTime = new Map<number, MarginReading>();
  for (const bucket of calculated) {
    const { first, firstAt, minimum, minimumAt, maximum, maximumAt, last, lastAt } = bucket;
    for (const [at, margin] of [
      [firstAt, first],
      [minimumAt, minimum],
      [maximumAt, maximum],
      [lastAt, last],
    ] as const)
      byTime.set(Date.parse(at), { at, margin });
  }
  return [...byTime]
    .filter(([at]) => at >= since && at <= now)
    .sort(([one], [other]) => one - other)
    .map(([, reading]) => reading);
}

/** The first reading that is not above any other. */
export function lowestOf(series: MarginSeries): MarginReading | undefined {
  const [first, ...others] = readingsOf(series);
  return (
    first && others.reduce((low, each) => (compareAmounts(each.margin, low.margin) < 0 ? each : low), first)
  );
}

export function forecastsOf({
  forecasts,
}: Pick<MarginSeries, 'forecasts'>): readonly { readonly tradingDay: string; readonly margin: string }[] {
  return forecasts
    .flatMap(({ tradingDay, tradingMargin: margin }) =>
      margin === undefined ? [] : [{ tradingDay, margin }],
    )
    .sort((one, other) => (one.tradingDay < other.tradingDay ? -1 : 1));
}

const toPoint = (x: number, margin: string, when: string): ChartPoint => ({
  x,
  y: toApproximateNumber(margin),
  text: `${formatAmount(margin)}, ${when}`,
});

const toThreshold = (name: string, value: string, tone: 'warning' | 'critical') => ({
  text: `${name} ${formatAmount(value)}`,
  y: toApproximateNumber(value),
  tone,
});
