import {
  dateOf,
  toInstant,
  type Decimal,
  type MarketDate,
  type MarketDateTime,
  type PrudentialCalculation,
} from '@ssb/market';

/** The operator rounds its times, and clocks that agree differ a little. */
const MAX_AHEAD_MS = 60_000;

/** Further calculations are reported too, but a restart does not remember them. */
const MAX_SAVED = 100;

/** A calculation whose `calculatedAt` is in the future. It is reported at once, and decided when its time comes. */
export interface FutureCalculation {
  readonly calculatedAt: MarketDateTime;
  readonly tradingDay: MarketDateTime;
  readonly isForecast: boolean;
  readonly tradingMargin?: Decimal | undefined;
  readonly outstandingAmount?: Decimal | undefined;
}

/** Margin events are ordered by the times of their calculations, so a calculation of the future would replace every present one. */
export function isInFuture(calculatedAt: MarketDateTime, now: Date): boolean {
  return toInstant(calculatedAt).getTime() > now.getTime() + MAX_AHEAD_MS;
}

export function toFutureCalculation(
  { isForecast, tradingMargin, outstandingAmount }: PrudentialCalculation,
  tradingDay: MarketDateTime,
  calculatedAt: MarketDateTime,
): FutureCalculation {
  return { calculatedAt, tradingDay, isForecast: isForecast ?? false, tradingMargin, outstandingAmount };
}

/** Name of the calculation within the interface. An actual calculation and a forecast of one time are two. */
export function nameFutureCalculation({ calculatedAt, tradingDay, isForecast }: FutureCalculation): string {
  return `${isForecast ? 'forecast' : 'calculation'} ${calculatedAt} of ${dateOf(tradingDay)}`;
}

export function describeFutureCalculation(calculation: FutureCalculation): string {
  const { calculatedAt, tradingDay, isForecast, tradingMargin, outstandingAmount } = calculation;
  const figures = [
    `trading margin ${tradingMargin ?? 'unknown'}`,
    ...(outstandingAmount === undefined ? [] : [`outstanding amount ${outstandingAmount}`]),
  ];
  const kind = isForecast ? 'forecast' : 'calculation';
  return `The ${kind} of trading day ${dateOf(tradingDay)} was performed at ${calculatedAt}, which is in the future: ${figures.join(', ')}. It is decided when that time comes.`;
}

/** Those to save, the earliest first. */
export function selectSaved(calculations: readonly FutureCalculation[]): readonly FutureCalculation[] {
  return [...calculations].sort((a, b) => (a.calculatedAt < b.calculatedAt ? -1 : 1)).slice(0, MAX_SAVED);
}

/** Actual calculations first, each kind by its margin with the lowest first. A calculation without a margin is the last. */
export function sortByUrgency(calculations: readonly FutureCalculation[]): readonly FutureCalculation[] {
  const marginOf = ({ tradingMargin }: FutureCalculation): number => Number(tradingMargin ?? Infinity);
  return [...calculations].sort((a, b) =>
    a.isForecast === b.isForecast
      ? compare(marginOf(a), marginOf(b))
      : Number(a.isForecast) - Number(b.isForecast),
  );
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The first trading day of the calculations, so that it is read until their times come. */
export function firstFutureDay(calculations: readonly FutureCalculation[]): MarketDate | undefined {
  return calculations
    .map(({ tradingDay }) => dateOf(tradingDay))
    .reduce<MarketDate | undefined>(
      (first, day) => (first === undefined || day < first ? day : first),
      undefined,
    );
}
