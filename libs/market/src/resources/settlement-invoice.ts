import { z } from 'zod';
import { int32, text } from '../fields.js';
import type { BrokenRule, Form } from '../form.js';
import { MARKET_SERVICES, type MarketService } from '../market-service.js';
import { defineResource } from '../resource.js';
import { adjustmentSummarySchema } from './adjustment-summary.js';
import { partySchema } from './party.js';
import { paymentSummarySchema } from './payment-summary.js';
import { MONTH, NUMBERED_WEEK, type PeriodLabel, WEEK_OF_DAY } from './period-label.js';
import { taxInvoiceSchema } from './tax-invoice.js';

/** Document 000, SettlementInvoice. */
export const settlementInvoiceSchema = (form: Form) =>
  form.rule(
    form.object({
      id: text(20),
      reversedId: text(20).nullish(),
      party: partySchema(form).optional(),
      invoiceDate: form.date(),
      dueDate: form.date(),
      market: z.enum(MARKET_SERVICES),
      tradeWeek: text(14).nullish(),
      tradeMonth: text(7).nullish(),
      /** 0: initial version; 1 to 3: adjustment version. */
      adjustment: int32(0, 3).nullish(),
      title: text(200).nullish(),
      paymentSummary: paymentSummarySchema(form).optional(),
      recipientCreatedTaxInvoice: taxInvoiceSchema(form).optional(),
      taxInvoice: taxInvoiceSchema(form).optional(),
      adjustmentSummary: adjustmentSummarySchema(form).optional(),
    }),
    brokenTradeLabels,
  );

/** How each market labels its period; a label that a market does not have is omitted. */
const TRADE_LABELS: Record<MarketService, { tradeWeek?: PeriodLabel; tradeMonth?: PeriodLabel }> = {
  WEM: { tradeWeek: WEEK_OF_DAY },
  STEM: { tradeWeek: NUMBERED_WEEK },
  NSTEM: { tradeMonth: MONTH },
};

function brokenTradeLabels(invoice: {
  market: MarketService;
  tradeWeek?: string | null | undefined;
  tradeMonth?: string | null | undefined;
}): BrokenRule[] {
  return (['tradeWeek', 'tradeMonth'] as const).flatMap((field) => {
    const label = invoice[field];
    if (label === undefined || label === null) return [];
    const form = TRADE_LABELS[invoice.market][field];
    if (form?.fits(label)) return [];
    const expected = form === undefined ? 'omitted' : `written ${form.written}`;
    return [{ path: [field], message: `expected to be ${expected} for ${invoice.market}` }];
  });
}

export const SettlementInvoice = defineResource('SettlementInvoice', settlementInvoiceSchema);
export type SettlementInvoice = z.output<ReturnType<typeof settlementInvoiceSchema>>;
