import type { ForecastPosition, MarginThresholds } from '../../../api/operations.js';
import { compareAmounts } from '../../../format/amount.js';
import { daysBetween } from '../../../format/market-time.js';

/** What the forecasts of the operator say about the thresholds. */
export type MarginOutlook =
  /** No forecast of today or later, or no thresholds. */
  | { readonly kind: 'unknown' }
  /** The first trading day whose forecast is below the threshold of this level. */
  | {
      readonly kind: 'breach' | 'warning';
      readonly day: string;
      readonly margin: string;
      readonly until: string;
    }
  /** No forecast is below a threshold; `until` is the last trading day that has one. */
  | { readonly kind: 'clear'; readonly until: string };

/** Looks ahead from a day of the market. A breach comes before an earlier warning. */
export function lookAhead(
  forecasts: readonly ForecastPosition[],
  thresholds: MarginThresholds | undefined,
  today: string,
): MarginOutlook {
  const coming = forecasts
    .flatMap(({ tradingDay: day, tradingMargin: margin }) =>
      margin === undefined || day < today ? [] : [{ day, margin }],
    )
    .sort((one, other) => daysBetween(other.day, one.day));
  const last = coming.at(-1);
  if (last === undefined || thresholds === undefined) return { kind: 'unknown' };
  const until = last.day;
  for (const kind of ['breach', 'warning'] as const) {
    const first = coming.find(({ margin }) => compareAmounts(margin, thresholds[kind]) < 0);
    if (first !== undefined) return { kind, ...first, until };
  }
  return { kind: 'clear', until };
}
