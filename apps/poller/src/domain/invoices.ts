import { invoiceIssued, type DetectedEvent, type Detection } from '@ssb/events';
import type { SettlementInvoice } from '@ssb/market';
import type { Ask } from './settlement-fetches.js';

export type InvoiceVerdict =
  | { readonly ok: true; readonly event: DetectedEvent; readonly version: string }
  | { readonly ok: false; readonly reason: 'other-invoice' };

/** Turns an answered invoice into its event. Period and designation are the ask's: the invoice itself carries neither. */
export function invoiceEvent(
  participant: string,
  ask: Ask,
  invoice: SettlementInvoice,
  detection: Detection,
): InvoiceVerdict {
  if (invoice.market !== ask.marketService) return { ok: false, reason: 'other-invoice' };
  const { id, reversedId, market, tradeWeek, tradeMonth, adjustment, invoiceDate, dueDate } = invoice;
  const event = invoiceIssued(
    {
      participant,
      id,
      reversedId: reversedId ?? undefined,
      market,
      designation: ask.designation,
      periodFrom: ask.periodFrom,
      tradeWeek: tradeWeek ?? undefined,
      tradeMonth: tradeMonth ?? undefined,
      // Not required by the document; 0 is its word for the initial version.
      adjustment: adjustment ?? 0,
      invoiceDate,
      dueDate,
      total: invoice.paymentSummary?.total,
      payableAmount: invoice.paymentSummary?.payableAmount,
      settlementRequired: invoice.paymentSummary?.settlementRequired,
    },
    detection,
  );
  return { ok: true, event, version: id };
}
