import type { SettlementInvoice } from '@ssb/market';
import { CENTS, decimalOf, unitsOf } from './amount.js';

/** The same invoice with a total that is off: its lines no longer add up to it. @param offBy decimal string, AUD */
export function offBy(invoice: SettlementInvoice, offBy: string): SettlementInvoice {
  const { paymentSummary } = invoice;
  if (paymentSummary === undefined) return invoice;
  const wrong = decimalOf(unitsOf(paymentSummary.total, CENTS) + unitsOf(offBy, CENTS), CENTS);
  return { ...invoice, paymentSummary: { ...paymentSummary, total: wrong, payableAmount: wrong } };
}
