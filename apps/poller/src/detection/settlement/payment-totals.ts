import { paymentDirection, type DetectionSettings } from '@ssb/config';
import type { PaymentDueData } from '@ssb/events';
import { parseDecimal, subtractDecimals, sumDecimals, type MarketDate } from '@ssb/market';
import type { InvoiceFigures, InvoiceState } from './states.js';

type PositiveAmount = DetectionSettings['payments']['positiveAmount'];

/** What is paid or received for an invoice; undefined when it was reversed, needs no settlement or has no amount. */
export function paymentOf(
  { isReversed, settlementRequired, payableAmount }: InvoiceFigures,
  positiveAmount: PositiveAmount,
): Pick<PaymentDueData, 'payableAmount' | 'direction'> | undefined {
  if (isReversed || !settlementRequired || payableAmount === undefined) return undefined;
  const direction = paymentDirection(payableAmount, positiveAmount);
  return direction && { payableAmount, direction };
}

/** The payments of a day with every digit. */
export function sumPayments(
  invoices: readonly InvoiceState[],
  dueDate: MarketDate,
  positiveAmount: PositiveAmount,
): NonNullable<PaymentDueData['dayTotals']> {
  const payments = invoices.flatMap(({ current }) => {
    const payment =
      current?.figures.dueDate === dueDate ? paymentOf(current.figures, positiveAmount) : undefined;
    return payment === undefined ? [] : [payment];
  });
  const sumOf = (wanted: 'pay' | 'receive') =>
    sumDecimals(
      payments.flatMap(({ direction, payableAmount }) =>
        direction === wanted ? [parseDecimal(payableAmount.replace('-', ''))] : [],
      ),
    );
  const [payable, receivable] = [sumOf('pay'), sumOf('receive')];
  return { payable, receivable, net: subtractDecimals(receivable, payable), invoices: payments.length };
}
