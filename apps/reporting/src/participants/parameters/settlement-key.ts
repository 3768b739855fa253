import {
  designationsOf,
  isDesignation,
  isMarketService,
  MARKET_SERVICES,
  type Designation,
  type MarketDate,
  type MarketService,
} from '@ssb/market';
import { parseDay } from './day-window.js';
import { invalidParameter, quote, type Parsed } from './invalid-parameter.js';

/** A settlement period of a market service under a designation: operations 5, 8 and 9. */
export interface PeriodKey {
  marketService: MarketService;
  periodFrom: MarketDate;
  designation: Designation;
}

/** A trading day of a settlement run: operation 6. */
export interface DetailKey {
  marketService: MarketService;
  tradingDay: MarketDate;
  designation: Designation;
}

/** A trading day of an NSTEM settlement period: operation 7. */
export interface EstimationKey {
  periodFrom: MarketDate;
  designation: Designation;
  tradingDay: MarketDate;
}

/** The path parameters of a key, as sent. */
export type PathOf<Key> = Readonly<Record<keyof Key | 'marketService', string>>;

/** Parses the path of operations 5, 8 and 9. */
export function parsePeriodKey(path: PathOf<PeriodKey>): Parsed<PeriodKey> {
  const parsed = parseRunDay(path, 'periodFrom', path.periodFrom);
  if (!parsed.ok) return parsed;
  const { day, ...run } = parsed.value;
  return { ok: true, value: { ...run, periodFrom: day } };
}

/** Parses the path of operation 6. */
export function parseDetailKey(path: PathOf<DetailKey>): Parsed<DetailKey> {
  const parsed = parseRunDay(path, 'tradingDay', path.tradingDay);
  if (!parsed.ok) return parsed;
  const { day, ...run } = parsed.value;
  return { ok: true, value: { ...run, tradingDay: day } };
}

/** Parses the path of operation 7, which allows NSTEM only. */
export function parseEstimationKey(path: PathOf<EstimationKey>): Parsed<EstimationKey> {
  const period = parsePeriodKey(path);
  if (!period.ok) return period;
  const { marketService, periodFrom, designation } = period.value;
  if (marketService !== 'NSTEM') {
    return invalidParameter(
      'market-service-not-allowed',
      'marketService',
      `${marketService} has no estimations: allowed is NSTEM.`,
    );
  }
  const day = parseDay('tradingDay', path.tradingDay);
  if (!day.ok) return day;
  return { ok: true, value: { periodFrom, designation, tradingDay: day.value } };
}

interface RunDay {
  marketService: MarketService;
  designation: Designation;
  day: MarketDate;
}

/** Validates in the order of the path, so that the first invalid parameter is reported. */
function parseRunDay(
  { marketService, designation }: Readonly<Record<'marketService' | 'designation', string>>,
  dayParameter: string,
  dayText: string,
): Parsed<RunDay> {
  if (!isMarketService(marketService)) {
    return invalidParameter(
      'unknown-market-service',
      'marketService',
      `${quote(marketService)} is not a market service. Allowed: ${MARKET_SERVICES.join(', ')}.`,
    );
  }
  const day = parseDay(dayParameter, dayText);
  if (!day.ok) return day;
  const allowed = designationsOf(marketService);
  if (!isDesignation(designation) || !allowed.includes(designation)) {
    return invalidParameter(
      'designation-not-allowed',
      'designation',
      `${quote(designation)} is not a designation of ${marketService}. Allowed: ${allowed.join(', ')}.`,
    );
  }
  return { ok: true, value: { marketService, designation, day: day.value } };
}
