import { INVOICE } from '@ssb/testing/market-records';
import { SettlementInvoice } from '../src/resources/invoice/settlement-invoice.js';
import {
  ANY_TEXT,
  ARRAY,
  BOOLEAN,
  DATE,
  DATE_TIME_MILLISECONDS,
  decimal,
  FLAG,
  int32,
  OBJECT,
  oneOf,
  text,
} from './field-kinds.js';
import { type FieldTable, nullable, optional, required } from './field-table.js';

const AMOUNT = decimal(18, 2);
const LARGE_AMOUNT = decimal(28, 2);

const LINE_ITEM = {
  code: nullable(text(40)),
  description: nullable(text(255)),
  amount: required(AMOUNT),
  gstApplicable: nullable(BOOLEAN),
};
const ADJUSTMENT_LINE = {
  previous: required(LARGE_AMOUNT),
  current: required(LARGE_AMOUNT),
  adjustment: required(LARGE_AMOUNT),
};

const TAX_INVOICE = {
  id: required(ANY_TEXT),
  gstApplicable: nullable(ARRAY),
  gstFree: nullable(ARRAY),
  total: optional(OBJECT),
};
const INVOICE_TOTAL = {
  gstExclusive: required(LARGE_AMOUNT),
  gst: required(LARGE_AMOUNT),
  gstInclusive: required(LARGE_AMOUNT),
};
const ADJUSTMENT = { gstApplicable: optional(OBJECT), gstFree: optional(OBJECT) };
const ADJUSTMENT_GST_APPLICABLE = {
  gstExclusive: optional(OBJECT),
  gst: optional(OBJECT),
  gstInclusive: optional(OBJECT),
};

const taxInvoice = (path: string): FieldTable['objects'] => ({
  [path]: TAX_INVOICE,
  [`${path}.gstApplicable[0]`]: LINE_ITEM,
  [`${path}.gstFree[0]`]: LINE_ITEM,
  [`${path}.total`]: INVOICE_TOTAL,
});

const adjustment = (path: string): FieldTable['objects'] => ({
  [path]: ADJUSTMENT,
  [`${path}.gstApplicable`]: ADJUSTMENT_GST_APPLICABLE,
  [`${path}.gstApplicable.gstExclusive`]: ADJUSTMENT_LINE,
  [`${path}.gstApplicable.gst`]: ADJUSTMENT_LINE,
  [`${path}.gstApplicable.gstInclusive`]: ADJUSTMENT_LINE,
  [`${path}.gstFree`]: ADJUSTMENT_LINE,
});

/** Document 000, SettlementInvoice and what is in it. */
export const SETTLEMENT_INVOICE: FieldTable<SettlementInvoice> = {
  resource: SettlementInvoice,
  record: INVOICE.replaceAll(
    '"gstFree": []',
    '"gstFree": [{ "code": "FEE", "description": "Fee", "amount": 5, "gstApplicable": false }]',
  ),
  objects: {
    '': {
      id: required(text(20)),
      reversedId: nullable(text(20)),
      party: optional(OBJECT),
      invoiceDate: required(DATE),
      dueDate: required(DATE),
      market: required(oneOf(20, ['"WEM"'])),
      tradeWeek: nullable(text(14, ['"TW 05 Mar 2026"'])),
      tradeMonth: nullable(text(7, [])),
      adjustment: nullable(int32(0, 3)),
      title: nullable(text(200)),
      paymentSummary: optional(OBJECT),
      recipientCreatedTaxInvoice: optional(OBJECT),
      taxInvoice: optional(OBJECT),
      adjustmentSummary: optional(OBJECT),
    },
    party: {
      id: required(text(50)),
      name: required(text(50)),
      addressLine1: nullable(text(60)),
      addressLine2: nullable(text(40)),
      abn: nullable(text(20)),
    },
    paymentSummary: {
      lineItems: nullable(ARRAY),
      total: required(AMOUNT),
      prepaymentBalance: optional(OBJECT),
      payableAmount: required(AMOUNT),
      messages: nullable(ARRAY),
      settlementRequired: required(FLAG),
    },
    'paymentSummary.lineItems[0]': LINE_ITEM,
    'paymentSummary.prepaymentBalance': {
      balance: required(AMOUNT),
      asAt: required(DATE_TIME_MILLISECONDS),
    },
    ...taxInvoice('recipientCreatedTaxInvoice'),
    ...taxInvoice('taxInvoice'),
    adjustmentSummary: {
      recipientCreatedTaxInvoiceAdjustment: optional(OBJECT),
      taxInvoiceAdjustment: optional(OBJECT),
    },
    ...adjustment('adjustmentSummary.recipientCreatedTaxInvoiceAdjustment'),
    ...adjustment('adjustmentSummary.taxInvoiceAdjustment'),
  },
  items: { 'paymentSummary.messages[0]': ANY_TEXT },
};
