import {
  designationsOf,
  isDesignation,
  isMarketService,
  MARKET_SERVICES,
  type Designation,
  type MarketDate,
  type MarketService,
} from '@ssb/market';
import { readDay } from './day-window.js';
import { notAskable, quoted, type NotAskable } from './invalid-parameter.js';

/** One settlement period of one market service under one designation: what operations 5, 8 and 9 ask for. */
export interface SettlementKey {
  marketService: MarketService;
  periodFrom: MarketDate;
  designation: Designation;
}

/** One trading day of a settlement run: what operation 6 asks for. */
export interface DetailKey {
  marketService: MarketService;
  tradingDay: MarketDate;
  designation: Designation;
}

/** One trading day of an NSTEM settlement period: what operation 7 asks for. */
export interface EstimationKey {
  periodFrom: MarketDate;
  designation: Designation;
  tradingDay: MarketDate;
}

export type Question<Key> = { ok: true; key: Key } | NotAskable;

/** Reads the path of operations 5, 8 and 9. */
export function askSettlement(
  marketService: string,
  periodFrom: string,
  designation: string,
): Question<SettlementKey> {
  const question = askDayOf('periodFrom', periodFrom, marketService, designation);
  if (!question.ok) return question;
  const { day, ...market } = question.key;
  return { ok: true, key: { ...market, periodFrom: day } };
}

/** Reads the path of operation 6. */
export function askDetail(
  marketService: string,
  tradingDay: string,
  designation: string,
): Question<DetailKey> {
  const question = askDayOf('tradingDay', tradingDay, marketService, designation);
  if (!question.ok) return question;
  const { day, ...market } = question.key;
  return { ok: true, key: { ...market, tradingDay: day } };
}

/** Reads the path of operation 7, which knows NSTEM only. */
export function askEstimation(
  marketService: string,
  periodFrom: string,
  designation: string,
  tradingDay: string,
): Question<EstimationKey> {
  const period = askSettlement(marketService, periodFrom, designation);
  if (!period.ok) return period;
  if (period.key.marketService !== 'NSTEM') {
    return notAskable(
      'market-service-not-allowed',
      'marketService',
      `${period.key.marketService} has no estimations: allowed is NSTEM.`,
    );
  }
  const day = readDay('tradingDay', tradingDay);
  if (!day.ok) return day;
  const { periodFrom: from, designation: run } = period.key;
  return { ok: true, key: { periodFrom: from, designation: run, tradingDay: day.day } };
}

/** The parameters are looked at in the order of the path, so that the first fault is the one that is told. */
function askDayOf(
  parameter: string,
  text: string,
  marketService: string,
  designation: string,
): Question<{ marketService: MarketService; designation: Designation; day: MarketDate }> {
  if (!isMarketService(marketService)) {
    return notAskable(
      'unknown-market-service',
      'marketService',
      `${quoted(marketService)} is no market service: ${MARKET_SERVICES.join(', ')} are.`,
    );
  }
  const day = readDay(parameter, text);
  if (!day.ok) return day;
  const allowed = designationsOf(marketService);
  if (!isDesignation(designation) || !allowed.includes(designation)) {
    return notAskable(
      'designation-not-allowed',
      'designation',
      `${quoted(designation)} is no designation of ${marketService}: allowed is ${allowed.join(', ')}.`,
    );
  }
  return { ok: true, key: { marketService, designation, day: day.day } };
}
