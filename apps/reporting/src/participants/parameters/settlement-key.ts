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

/** A settlement run of a day: `periodFrom` of operations 5, 8 and 9, `tradingDay` of operation 6. */
type RunKey<Day extends string> = Readonly<
  { marketService: MarketService; designation: Designation } & Record<Day, MarketDate>
>;

/** A trading day of an NSTEM settlement period: operation 7. */
interface EstimationKey {
  readonly periodFrom: MarketDate;
  readonly designation: Designation;
  readonly tradingDay: MarketDate;
}

/** The path parameters of a key, as sent. */
export type PathOf<Day extends string> = Readonly<Record<'marketService' | 'designation' | Day, string>>;

/** Validates in the order of the path, so that the first invalid parameter is reported. */
export function parseRunKey<Day extends string>(path: PathOf<Day>, dayParameter: Day): Parsed<RunKey<Day>> {
  const { marketService, designation }: PathOf<never> = path;
  if (!isMarketService(marketService)) {
    return invalidParameter(
      'unknown-market-service',
      'marketService',
      `${quote(marketService)} is not a market service. Allowed: ${MARKET_SERVICES.join(', ')}.`,
    );
  }
  const day = parseDay(dayParameter, path[dayParameter]);
  if (!day.ok) return day;
  const allowed = designationsOf(marketService);
  if (!isDesignation(designation) || !allowed.includes(designation)) {
    return invalidParameter(
      'designation-not-allowed',
      'designation',
      `${quote(designation)} is not a designation of ${marketService}. Allowed: ${allowed.join(', ')}.`,
    );
  }
  return { ok: true, value: { marketService, designation, [dayParameter]: day.value } as RunKey<Day> };
}

/** Parses the path of operation 7, which allows NSTEM only. */
export function parseEstimationKey(path: PathOf<'periodFrom' | 'tradingDay'>): Parsed<EstimationKey> {
  const period = parseRunKey(path, 'periodFrom');
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
