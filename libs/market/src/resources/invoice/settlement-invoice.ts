import { z } from 'zod';
import { int32, text } from '../../schema/fields.js';
import type { RuleViolation, SchemaBuilder } from '../../schema/schema-builder.js';
import { MARKET_SERVICES, type MarketService } from '../../values/market-service.js';
import { defineResource } from '../../schema/resource.js';
import {
  adjustmentSummarySchema,
  partySchema,
  paymentSummarySchema,
  taxInvoiceSchema,
} from './invoice-sections.js';
import { MONTH, NUMBERED_WEEK, type PeriodLabel, WEEK_OF_DAY } from '../period-label.js';

/** Document 000, SettlementInvoice. */
export const settlementInvoiceSchema = (builder: SchemaBuilder) =>
  builder.rule(
    builder.object({
      id: text(20),
      reversedId: text(20).nullish(),
      party: partySchema(builder).optional(),
      invoiceDate: builder.date(),
      dueDate: builder.date(),
      market: z.enum(MARKET_SERVICES),
      tradeWeek: text(14).nullish(),
      tradeMonth: text(7).nullish(),
      /** 0: initial version; 1 to 3: adjustment version. */
      adjustment: int32(0, 3).nullish(),
      title: text(200).nullish(),
      paymentSummary: paymentSummarySchema(builder).optional(),
      recipientCreatedTaxInvoice: taxInvoiceSchema(builder).optional(),
      taxInvoice: taxInvoiceSchema(builder).optional(),
      adjustmentSummary: adjustmentSummarySchema(builder).optional(),
    }),
    checkTradeLabels,
  );

/** The period labels of each market. Other labels must be omitted. */
const TRADE_LABELS: Record<MarketService, { tradeWeek?: PeriodLabel; tradeMonth?: PeriodLabel }> = {
  WEM: { tradeWeek: WEEK_OF_DAY },
  STEM: { tradeWeek: NUMBERED_WEEK },
  NSTEM: { tradeMonth: MONTH },
};

function checkTradeLabels(invoice: {
  market: MarketService;
  tradeWeek?: string | null | undefined;
  tradeMonth?: string | null | undefined;
}): RuleViolation[] {
  return (['tradeWeek', 'tradeMonth'] as const).flatMap((field) => {
    const label = invoice[field];
    if (label === undefined || label === null) return [];
    const allowed = TRADE_LABELS[invoice.market][field];
    if (allowed?.matches(label)) return [];
    const expected = allowed === undefined ? 'omitted' : `written ${allowed.format}`;
    return [{ path: [field], message: `expected to be ${expected} for ${invoice.market}` }];
  });
}

export const SettlementInvoice = defineResource('SettlementInvoice', settlementInvoiceSchema);
export type SettlementInvoice = z.output<ReturnType<typeof settlementInvoiceSchema>>;
