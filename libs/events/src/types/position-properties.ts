import { dateOf, orderOfTime } from '../envelope/market-time.js';
import type { FactOrder } from '../definition.js';
import { boolean, dateTime, decimal, described, integer, sha256 } from './json-schema.js';

/** Properties that identify a prudential calculation. Source: document 000, operation 1. */

export const tradingDay = described(
  dateTime,
  'Trading day of the calculation; market time.',
  'operation 1, tradingDay',
);
export const calculatedAt = described(
  dateTime,
  'When the operator performed the calculation; market time, cut to milliseconds.',
  'operation 1, calculatedAt',
);
export const isForecast = described(
  boolean,
  'Whether the calculation was a forecast.',
  'operation 1, isForecast',
);
export const tradingMargin = described(
  decimal,
  "The operator's trading margin with every digit, AUD.",
  'operation 1, tradingMargin',
);
export const outstandingAmount = described(
  decimal,
  'Outstanding amount, AUD.',
  'operation 1, outstandingAmount',
);
export const rowDigest = described(
  sha256,
  'SHA-256 of the RFC 8785 form of all figures of the calculation, amounts without trailing zeros and times with milliseconds. It distinguishes two calculations of one second.',
);
export const transition = described(
  integer(0, 999),
  'Number of earlier changes of the level that were decided on the same calculation.',
);
export const thresholdTransition = described(
  integer(0, 999),
  'Number of earlier changes of the level that were decided on the same calculation, because thresholds changed.',
);

const TIMES = '{tradingDay:milliseconds}|{calculatedAt:milliseconds}';

/** The key of a calculation, the same for every spelling of the times. */
export const CALCULATION_KEY = `${TIMES}|{isForecast:calculation}|{digest}`;
/** The same for types that have only calculations that are not forecasts. */
export const ACTUAL_CALCULATION_KEY = `${TIMES}|actual|[{digest}]`;

const DAY_MS = 86_400_000;
/** With the six digits for trading day and transition, a sequence has 20 digits. The year is 5138. */
const MAX_ORDER_OF_TIME = 10n ** 14n - 1n;

/** Orders by `calculatedAt`, then trading day, then number of the transition. */
export function orderOfCalculation(
  { tradingDay, calculatedAt }: { readonly tradingDay: string; readonly calculatedAt: string },
  transition = 0,
): FactOrder {
  const time = orderOfTime(calculatedAt);
  const at = time < MAX_ORDER_OF_TIME ? time : MAX_ORDER_OF_TIME;
  const daysAhead = (Date.parse(dateOf(tradingDay)) - Date.parse(dateOf(calculatedAt))) / DAY_MS;
  const day = BigInt(Math.min(999, Math.max(0, daysAhead + 500)));
  return { sequence: (at * 1_000n + day) * 1_000n + BigInt(transition), marketTime: calculatedAt };
}
