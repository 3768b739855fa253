import {
  addDays,
  type CalculationVariable,
  type Decimal,
  type MarketDate,
  type MarketDateTime,
  type PrudentialCalculation,
  startOfDay,
} from '@ssb/market';
import type { OutputLoad } from '@ssb/market-admin';
import { CENTS, decimalOf, SETTLEMENT_SCALE, sharesOf, unitsOf } from './amount.js';
import { type Chance, chanceOf, dayShape } from './random.js';
import type { CreditBook } from '../scenario/scenario.js';

export interface Calculation {
  participant: string;
  calculatedAt: MarketDateTime;
  tradingDay: MarketDate;
  /** Cents. */
  tradingMargin: bigint;
  isForecast?: boolean;
}

/** How many trading days add up to an estimated exposure in the simulation. */
const EXPOSURE_DAYS = 7;
/** Hundredths of each day's exposure that are energy and fees. */
const ENERGY_AND_FEES = [85n, 15n];
const MAX_ESTIMATION = 12_000n * 10n ** BigInt(SETTLEMENT_SCALE);

/**
 * A prudential calculation. Outstanding amount = trading limit − margin; exposure = outstanding amount − unpaid invoices + prepayments.
 * These formulas are the simulation's own: document 000 has none.
 */
export function prudentialCalculationOf(calculation: Calculation, book: CreditBook): PrudentialCalculation {
  const { participant, calculatedAt, tradingDay, tradingMargin, isForecast = false } = calculation;
  return {
    participantCode: participant,
    tradingDay: startOfDay(tradingDay),
    prepayment: written(cents(book.prepayment)),
    invoiceNotPaid: written(cents(book.invoiceNotPaid)),
    cumulativeEstimatedExposure: written(exposureOf(tradingMargin, book)),
    outstandingAmount: written(cents(book.tradingLimit) - tradingMargin),
    creditSupport: written(cents(book.creditSupport)),
    creditLimit: written(cents(book.creditLimit)),
    tradingLimit: written(cents(book.tradingLimit)),
    tradingMargin: written(tradingMargin),
    calculatedAt,
    isForecast,
  };
}

/** The detail of a calculation (operation 3): its trading day and the six before add up exactly to its exposure. */
export function prudentialDetailOf(calculation: Calculation, book: CreditBook, seed: string): OutputLoad {
  const { participant, tradingDay, tradingMargin } = calculation;
  const chance = chanceOf(seed, participant, tradingDay, 'exposure');
  const weights = Array.from({ length: EXPOSURE_DAYS }, () => chance.between(80n, 120n));
  const exposure = exposureOf(tradingMargin, book) * 10n ** BigInt(SETTLEMENT_SCALE - CENTS);
  const tradingDays = sharesOf(exposure, weights).map((units, index) => {
    const [energy = 0n, fees = 0n] = sharesOf(units, ENERGY_AND_FEES);
    return {
      tradingDay: startOfDay(addDays(tradingDay, index + 1 - EXPOSURE_DAYS)),
      variables: [
        halfHourly('ESTIMATED_ENERGY_EXPOSURE', energy, participant, chance),
        {
          variable: 'ESTIMATED_MARKET_FEES',
          scope: participant,
          granularity: 'D' as const,
          value: [decimalOf(fees, SETTLEMENT_SCALE)],
        },
      ],
    };
  });
  return outputOf(calculation, tradingDays);
}

/** The NSTEM estimation of a calculation's trading day (operation 4). */
export function prudentialEstimationOf(calculation: Calculation, seed: string): OutputLoad {
  const { participant, tradingDay } = calculation;
  const chance = chanceOf(seed, participant, tradingDay, 'nstem estimation');
  const total = chance.between(0n, MAX_ESTIMATION);
  const variables = [halfHourly('ESTIMATED_NSTEM_CHARGE', total, participant, chance)];
  return outputOf(calculation, [{ tradingDay: startOfDay(tradingDay), variables }]);
}

function outputOf(
  { participant, calculatedAt, tradingDay }: Calculation,
  tradingDays: OutputLoad['output']['tradingDays'],
): OutputLoad {
  return {
    participantCode: participant,
    calculatedAt,
    output: { tradingDay: startOfDay(tradingDay), tradingDays },
  };
}

function halfHourly(variable: string, units: bigint, scope: string, chance: Chance): CalculationVariable {
  const value = sharesOf(units, dayShape(48, chance)).map((share) => decimalOf(share, SETTLEMENT_SCALE));
  return { variable, scope, granularity: 'I', value };
}

function exposureOf(tradingMargin: bigint, book: CreditBook): bigint {
  return cents(book.tradingLimit) - tradingMargin - cents(book.invoiceNotPaid) + cents(book.prepayment);
}

function cents(decimal: string): bigint {
  return unitsOf(decimal, CENTS);
}

function written(amount: bigint): Decimal {
  return decimalOf(amount, CENTS);
}
