import {
  addDays,
  type CalculationVariable,
  type MarketDate,
  type MarketDateTime,
  type PrudentialCalculation,
  startOfDay,
} from '@ssb/market';
import type { OutputRecord } from '@ssb/market/admin';
import { SETTLEMENT_SCALE, splitByWeights, toCents, toDecimal, toMoney, UNITS_PER_CENT } from './amount.js';
import { type Random, createRandom, dayProfile } from './random.js';
import type { CreditBook } from '../scenario/fields.js';

export interface Calculation {
  participant: string;
  calculatedAt: MarketDateTime;
  tradingDay: MarketDate;
  /** Cents. */
  tradingMargin: bigint;
  isForecast?: boolean;
}

/** The number of trading days whose estimates add up to the exposure. */
const EXPOSURE_DAYS = 7;
/** Shares of energy and fees in a day's exposure, per cent. */
const ENERGY_AND_FEES_PERCENT = [85n, 15n];
/** Units of 10⁻⁸ AUD. */
const MAX_ESTIMATION = 12_000n * 10n ** BigInt(SETTLEMENT_SCALE);

/**
 * Outstanding amount = trading limit − margin; exposure = outstanding amount − unpaid invoices + prepayments. The formulas are invented,
 * because document 000 has none.
 */
export function buildPrudentialCalculation(
  calculation: Calculation,
  book: CreditBook,
): PrudentialCalculation {
  const { participant, calculatedAt, tradingDay, tradingMargin, isForecast = false } = calculation;
  return {
    participantCode: participant,
    tradingDay: startOfDay(tradingDay),
    prepayment: toMoney(toCents(book.prepayment)),
    invoiceNotPaid: toMoney(toCents(book.invoiceNotPaid)),
    cumulativeEstimatedExposure: toMoney(computeExposure(tradingMargin, book)),
    outstandingAmount: toMoney(toCents(book.tradingLimit) - tradingMargin),
    creditSupport: toMoney(toCents(book.creditSupport)),
    creditLimit: toMoney(toCents(book.creditLimit)),
    tradingLimit: toMoney(toCents(book.tradingLimit)),
    tradingMargin: toMoney(tradingMargin),
    calculatedAt,
    isForecast,
  };
}

/** The detail of a calculation (operation 3): the values of seven trading days add up exactly to its exposure. */
export function buildPrudentialDetail(
  calculation: Calculation,
  book: CreditBook,
  seed: string,
): OutputRecord {
  const { participant, tradingDay, tradingMargin } = calculation;
  const random = createRandom(seed, participant, tradingDay, 'exposure');
  const weights = Array.from({ length: EXPOSURE_DAYS }, () => random.between(80n, 120n));
  const exposure = computeExposure(tradingMargin, book) * UNITS_PER_CENT;
  const tradingDays = splitByWeights(exposure, weights).map((units, index) => {
    const [energy = 0n, fees = 0n] = splitByWeights(units, ENERGY_AND_FEES_PERCENT);
    return {
      tradingDay: startOfDay(addDays(tradingDay, index + 1 - EXPOSURE_DAYS)),
      variables: [
        buildHalfHourlyVariable('ESTIMATED_ENERGY_EXPOSURE', energy, participant, random),
        {
          variable: 'ESTIMATED_MARKET_FEES',
          scope: participant,
          granularity: 'D' as const,
          value: [toDecimal(fees, SETTLEMENT_SCALE)],
        },
      ],
    };
  });
  return buildOutput(calculation, tradingDays);
}

/** The NSTEM estimation of the trading day (operation 4). */
export function buildPrudentialEstimation(calculation: Calculation, seed: string): OutputRecord {
  const { participant, tradingDay } = calculation;
  const random = createRandom(seed, participant, tradingDay, 'nstem estimation');
  const total = random.between(0n, MAX_ESTIMATION);
  const variables = [buildHalfHourlyVariable('ESTIMATED_NSTEM_CHARGE', total, participant, random)];
  return buildOutput(calculation, [{ tradingDay: startOfDay(tradingDay), variables }]);
}

function buildOutput(
  { participant, calculatedAt, tradingDay }: Calculation,
  tradingDays: OutputRecord['output']['tradingDays'],
): OutputRecord {
  return {
    participantCode: participant,
    calculatedAt,
    output: { tradingDay: startOfDay(tradingDay), tradingDays },
  };
}

function buildHalfHourlyVariable(
  variable: string,
  units: bigint,
  scope: string,
  random: Random,
): CalculationVariable {
  const value = splitByWeights(units, dayProfile(48, random)).map((share) =>
    toDecimal(share, SETTLEMENT_SCALE),
  );
  return { variable, scope, granularity: 'I', value };
}

function computeExposure(tradingMargin: bigint, book: CreditBook): bigint {
  return toCents(book.tradingLimit) - tradingMargin - toCents(book.invoiceNotPaid) + toCents(book.prepayment);
}
