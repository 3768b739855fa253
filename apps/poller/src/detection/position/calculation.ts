import { POSITION_FIGURES, type PositionCalculatedData } from '@ssb/events';
import {
  dateOf,
  hasOnlyUnsetDates,
  toInstant,
  withoutTrailingZeros,
  type Decimal,
  type IndexedResponse,
  type MarketDate,
  type MarketDateTime,
  type PrudentialCalculation,
} from '@ssb/market';
import type { Unreadable } from '../detection.js';
import {
  calculationDocument,
  digestCalculation,
  truncateToMilliseconds,
  withMilliseconds,
  type CalculationFigures,
} from '../digest.js';
import { isInFuture, toFutureCalculation, type FutureCalculation } from './future-calculations.js';

/** What a decision needs of a prudential calculation (document 000, operation 1), as it is saved. */
export interface SavedCalculation {
  readonly tradingDay: MarketDateTime;
  readonly calculatedAt: MarketDateTime;
  readonly isForecast: boolean;
  /** SHA-256 of all figures in their normal form. */
  readonly digest: string;
  readonly tradingMargin?: Decimal | undefined;
  readonly tradingLimit?: Decimal | undefined;
  readonly outstandingAmount?: Decimal | undefined;
  readonly creditSupport?: Decimal | undefined;
  readonly creditLimit?: Decimal | undefined;
}

export interface Calculation extends SavedCalculation {
  /**
   * Sorts by `calculatedAt`, then trading day. The operator does not say which of two calculations of one second is later, so the worse margin
   * counts as later, then the digest decides.
   */
  readonly sortKey: string;
  /** The instant of `calculatedAt`, milliseconds. */
  readonly at: number;
  /** The trading margin as a double, for statistics; NaN without one. */
  readonly approximateMargin: number;
}

/** A response of operation 1. */
export interface PositionResponse extends IndexedResponse<readonly PrudentialCalculation[]> {
  /** The first trading day that was requested. */
  readonly firstDay: MarketDate;
}

/** A calculation of a response: what decisions need, and all of its figures. */
export interface ReadCalculation {
  /** Its place in the response. */
  readonly index: number;
  readonly calculation: Calculation;
  readonly data: PositionCalculatedData;
}

/** An operator does not forecast further ahead. */
const MAX_DAYS_AHEAD = 366;

/**
 * Reads the calculations of a response. The document requires no field, so each needed one is checked; a calculation that cannot be read
 * affects no other.
 */
export function readCalculations(
  participant: string,
  { value, indexes, unreadable }: PositionResponse,
  now: Date,
): {
  readonly read: readonly ReadCalculation[];
  readonly unreadable: readonly Unreadable[];
  /** Calculations whose `calculatedAt` is in the future. */
  readonly future: readonly FutureCalculation[];
  /** Whether a later response may have a calculation that could not be read in this one. */
  readonly isIncomplete: boolean;
} {
  const results = value.map((row, place) => readCalculation(participant, row, indexes[place] ?? place, now));
  return {
    read: results.flatMap(({ read }) => read ?? []),
    unreadable: results.flatMap((result) => result.unreadable),
    future: results.flatMap(({ future }) => future ?? []),
    isIncomplete:
      !unreadable.every(hasOnlyUnsetDates) ||
      results.some(
        ({ read, future, isRefused = false }) => read === undefined && future === undefined && !isRefused,
      ),
  };
}

interface ReadResult {
  readonly read?: ReadCalculation;
  readonly unreadable: readonly Unreadable[];
  readonly future?: FutureCalculation;
  /** It cannot become readable. */
  readonly isRefused?: boolean;
}

function readCalculation(
  participant: string,
  row: PrudentialCalculation,
  index: number,
  now: Date,
): ReadResult {
  const report = (field: keyof PrudentialCalculation, reason: string): Unreadable => ({
    path: `data[${index}].${field}`,
    reason,
    document: calculationDocument(row),
  });
  const { participantCode, tradingDay, calculatedAt, tradingMargin } = row;
  if (participantCode != null && participantCode !== participant)
    return { unreadable: [report('participantCode', 'names another participant')] };
  if (tradingDay === undefined) return { unreadable: [report('tradingDay', 'is missing')] };
  if (calculatedAt === undefined) return { unreadable: [report('calculatedAt', 'is missing')] };
  if (isInFuture(calculatedAt, now))
    return { unreadable: [], future: toFutureCalculation(row, tradingDay, calculatedAt) };
  if (daysAhead({ tradingDay, calculatedAt }) > MAX_DAYS_AHEAD)
    return {
      unreadable: [report('calculatedAt', `is more than ${MAX_DAYS_AHEAD} days before the trading day`)],
      isRefused: true,
    };
  return {
    read: toReadCalculation(row, tradingDay, truncateToMilliseconds(calculatedAt), index),
    unreadable: tradingMargin === undefined ? [report('tradingMargin', 'is missing')] : [],
  };
}

function toReadCalculation(
  row: PrudentialCalculation,
  tradingDay: MarketDateTime,
  calculatedAt: MarketDateTime,
  index: number,
): ReadCalculation {
  const isForecast = row.isForecast ?? false;
  const figures: CalculationFigures = { tradingDay, calculatedAt, isForecast };
  for (const name of POSITION_FIGURES) if (row[name] !== undefined) figures[name] = row[name];
  const digest = digestCalculation(figures);
  const { tradingMargin, tradingLimit, outstandingAmount, creditSupport, creditLimit } = row;
  return {
    index,
    data: { ...figures, digest },
    calculation: withOrder({
      tradingDay,
      calculatedAt,
      isForecast,
      digest,
      tradingMargin,
      tradingLimit,
      ...(!isForecast && { outstandingAmount, creditSupport, creditLimit }),
    }),
  };
}

/** Adds what follows from the saved fields, the sort key included. */
export function withOrder(saved: SavedCalculation): Calculation {
  const { tradingDay, calculatedAt, tradingMargin, digest } = saved;
  const times = `${withMilliseconds(calculatedAt)}|${withMilliseconds(tradingDay)}`;
  const sortKey = `${times}|${marginOrder(tradingMargin)}|${digest}`;
  return {
    ...saved,
    sortKey,
    at: toInstant(calculatedAt).getTime(),
    approximateMargin: Number(tradingMargin ?? NaN),
  };
}

const DAY_MS = 86_400_000;

/** Days from the date of a calculation to its trading day; negative for an earlier one. */
export function daysAhead({
  tradingDay,
  calculatedAt,
}: Pick<SavedCalculation, 'tradingDay' | 'calculatedAt'>): number {
  return (Date.parse(dateOf(tradingDay)) - Date.parse(dateOf(calculatedAt))) / DAY_MS;
}

/** A text that sorts margins, the lowest last. A missing margin is `0`; `1` begins a margin of zero or more, `2` a negative one. */
function marginOrder(margin: Decimal | undefined): string {
  if (margin === undefined) return '0';
  const [whole = '', fraction = ''] = withoutTrailingZeros(margin).replace('-', '').split('.');
  const digits = `${String(whole.length).padStart(3, '0')}${whole}${fraction}`;
  return margin.startsWith('-')
    ? `2${digits} `
    : `1${digits.replace(/\d/g, (digit) => String(9 - Number(digit)))}`;
}
