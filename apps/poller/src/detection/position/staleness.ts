import type { Fact } from '@ssb/events';
import {
  addDays,
  startOfDay,
  toInstant,
  toMarketDate,
  toMarketDateTime,
  weekdayOf,
  type MarketDateTime,
} from '@ssb/market';
import type { DetectionSettings } from '@ssb/operator-config';
import type { Calculation } from './calculation.js';

/** A pause that was stated and lasts. */
export interface StalePosition {
  readonly lastCalculatedAt: MarketDateTime;
  readonly lastTradingDay: MarketDateTime;
  readonly allowedSeconds: number;
}

type LatestCalculation = Pick<Calculation, 'tradingDay' | 'calculatedAt'>;

/** Decides whether a pause began or ended. Without any calculation there is no pause. */
export function detectStaleness(
  stale: StalePosition | undefined,
  calculations: readonly Calculation[],
  latest: LatestCalculation | undefined,
  settings: DetectionSettings['position'],
  now: Date,
): { readonly stale: StalePosition | undefined; readonly facts: readonly Fact[] } {
  const resuming = stale && findResuming(stale, calculations);
  if (stale !== undefined && resuming === undefined) return { stale, facts: [] };
  const resumed = stale && resuming ? [createResumed(stale, resuming)] : [];
  const staleSince = latest && endOfAllowedTime(latest.calculatedAt, settings, now);
  if (latest === undefined || staleSince === undefined) return { stale: undefined, facts: resumed };
  const next = {
    lastCalculatedAt: latest.calculatedAt,
    lastTradingDay: latest.tradingDay,
    allowedSeconds: Math.max(1, Math.floor(settings.staleAfterMs / 1_000)),
  };
  const began: Fact = {
    type: 'settlementbus.position.stale.v1',
    data: { ...next, staleSince: formatMarketTime(staleSince) },
  };
  return { stale: next, facts: [...resumed, began] };
}

function findResuming(
  { lastCalculatedAt }: StalePosition,
  calculations: readonly Calculation[],
): Calculation | undefined {
  const last = toInstant(lastCalculatedAt).getTime();
  return calculations.find(({ at, isForecast }) => !isForecast && at > last);
}

function createResumed(stale: StalePosition, { tradingDay, calculatedAt }: Calculation): Fact {
  return { type: 'settlementbus.position.resumed.v1', data: { ...stale, calculatedAt, tradingDay } };
}

/**
 * When the allowed time after a calculation ends; undefined when it has not ended yet. Market days on which no calculation is expected do not
 * count.
 */
function endOfAllowedTime(
  calculatedAt: MarketDateTime,
  { staleAfterMs, days }: DetectionSettings['position'],
  now: Date,
): Date | undefined {
  let remaining = staleAfterMs;
  let start = toInstant(calculatedAt);
  while (start < now) {
    const date = toMarketDate(start);
    const nextDay = toInstant(startOfDay(addDays(date, 1)));
    const available = days.includes(weekdayOf(date)) ? nextDay.getTime() - start.getTime() : 0;
    if (available > 0 && remaining <= available) {
      const end = new Date(start.getTime() + remaining);
      return end < now ? end : undefined;
    }
    remaining -= available;
    start = nextDay;
  }
  return undefined;
}

/** Market time with the milliseconds that it has. */
function formatMarketTime(instant: Date): MarketDateTime {
  const milliseconds = instant.getUTCMilliseconds();
  const fraction = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${toMarketDateTime(instant)}${fraction}` as MarketDateTime;
}
