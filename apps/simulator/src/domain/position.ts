import {
  dateOf,
  startOfDay,
  type Decimal,
  type MarketDate,
  type MarketDateTime,
  type PrudentialCalculation,
} from '@ssb/market';
import { CENTS, decimalOf, unitsOf } from './amount.js';

/** The side of a prudential position that does not move during a play; decimal strings, AUD. */
export interface CreditBook {
  creditSupport: string;
  creditLimit: string;
  tradingLimit: string;
  prepayment: string;
  invoiceNotPaid: string;
}

/** Which calculation: made when, for which trading day. */
export interface CalculationOrder {
  participant: string;
  calculatedAt: MarketDateTime;
  /** The day of `calculatedAt` when omitted; a coming day for a forecast. */
  tradingDay?: MarketDate | undefined;
  isForecast?: boolean | undefined;
}

/**
 * A prudential calculation with the given margin. The play's own arithmetic, so that its figures agree with each other:
 * outstanding amount = trading limit − margin; exposure = outstanding amount − unpaid invoices + prepayments. The market's
 * formulas are not part of document 000.
 *
 * @param tradingMargin cents
 */
export function positionOf(
  { participant, calculatedAt, tradingDay = dateOf(calculatedAt), isForecast = false }: CalculationOrder,
  tradingMargin: bigint,
  book: CreditBook,
): PrudentialCalculation {
  const outstanding = cents(book.tradingLimit) - tradingMargin;
  return {
    participantCode: participant,
    tradingDay: startOfDay(tradingDay),
    prepayment: written(cents(book.prepayment)),
    invoiceNotPaid: written(cents(book.invoiceNotPaid)),
    cumulativeEstimatedExposure: written(exposureAt(tradingMargin, book)),
    outstandingAmount: written(outstanding),
    creditSupport: written(cents(book.creditSupport)),
    creditLimit: written(cents(book.creditLimit)),
    tradingLimit: written(cents(book.tradingLimit)),
    tradingMargin: written(tradingMargin),
    calculatedAt,
    isForecast,
  };
}

/** The cumulative estimated exposure that goes with a margin, cents. */
export function exposureAt(tradingMargin: bigint, book: CreditBook): bigint {
  return cents(book.tradingLimit) - tradingMargin - cents(book.invoiceNotPaid) + cents(book.prepayment);
}

function cents(decimal: string): bigint {
  return unitsOf(decimal, CENTS);
}

function written(amount: bigint): Decimal {
  return decimalOf(amount, CENTS);
}
