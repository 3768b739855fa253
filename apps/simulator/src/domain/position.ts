import {
  dateOf,
  startOfDay,
  type Decimal,
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

/**
 * A prudential calculation with the given margin. The play's own arithmetic, so that its figures agree with each other:
 * outstanding amount = trading limit − margin; exposure = outstanding amount − unpaid invoices + prepayments. The market's
 * formulas are not part of document 000.
 */
export function positionOf(
  participant: string,
  calculatedAt: MarketDateTime,
  tradingMargin: bigint,
  book: CreditBook,
): PrudentialCalculation {
  const outstanding = cents(book.tradingLimit) - tradingMargin;
  return {
    participantCode: participant,
    tradingDay: startOfDay(dateOf(calculatedAt)),
    prepayment: written(cents(book.prepayment)),
    invoiceNotPaid: written(cents(book.invoiceNotPaid)),
    cumulativeEstimatedExposure: written(outstanding - cents(book.invoiceNotPaid) + cents(book.prepayment)),
    outstandingAmount: written(outstanding),
    creditSupport: written(cents(book.creditSupport)),
    creditLimit: written(cents(book.creditLimit)),
    tradingLimit: written(cents(book.tradingLimit)),
    tradingMargin: written(tradingMargin),
    calculatedAt,
    isForecast: false,
  };
}

function cents(decimal: string): bigint {
  return unitsOf(decimal, CENTS);
}

function written(amount: bigint): Decimal {
  return decimalOf(amount, CENTS);
}
