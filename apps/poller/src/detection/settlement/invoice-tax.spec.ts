import type { SettlementInvoice, TaxInvoiceAdjustment } from '@ssb/market';
import { splitTotal } from './invoice-tax.js';
import { decimal, INVOICE } from '../../../test/support/settlement.js';

const total = (amount: string, changes: Partial<SettlementInvoice> = {}): SettlementInvoice => ({
  ...INVOICE,
  paymentSummary: { total: decimal(amount), payableAmount: decimal('5.00'), settlementRequired: true },
  ...changes,
});
const taxInvoice = (gstExclusive: string, gst: string) => ({
  id: 'T',
  total: { gstExclusive: decimal(gstExclusive), gst: decimal(gst), gstInclusive: decimal('0') },
});
const line = (adjustment: string) => ({
  previous: decimal('0'),
  current: decimal(adjustment),
  adjustment: decimal(adjustment),
});
const adjustment = (gstExclusive: string, gst: string, gstFree?: string): TaxInvoiceAdjustment => ({
  gstApplicable: { gstExclusive: line(gstExclusive), gst: line(gst) },
  ...(gstFree !== undefined && { gstFree: line(gstFree) }),
});

it.each<[string, SettlementInvoice, string | undefined]>([
  ['charges are positive', INVOICE, '120.01 7.00'],
  ['payments are positive', total('-127.01'), '-120.01 -7.00'],
  ['only the operator supplies', total('160.01', { recipientCreatedTaxInvoice: undefined }), '150.01 10.00'],
  ['only the participant supplies', total('-33.00', { taxInvoice: undefined }), '-30.00 -3.00'],
  [
    '28 digits',
    total('12345678901234567890123456.79', {
      taxInvoice: taxInvoice('12345678901234567890123456.78', '0.01'),
      recipientCreatedTaxInvoice: undefined,
    }),
    '12345678901234567890123456.78 0.01',
  ],
  [
    'an adjustment',
    total('108.00', {
      adjustmentSummary: {
        taxInvoiceAdjustment: adjustment('100.00', '10.00', '20.00'),
        recipientCreatedTaxInvoiceAdjustment: adjustment('20.00', '2.00'),
      },
    }),
    '100.00 8.00',
  ],
  ['figures that do not add up to the total', total('127.02'), undefined],
  ['no tax invoice', total('0', { taxInvoice: undefined, recipientCreatedTaxInvoice: undefined }), undefined],
  ['no payment summary', { ...INVOICE, paymentSummary: undefined }, undefined],
  [
    'nothing at all',
    total('0.00', { taxInvoice: taxInvoice('0.00', '0.00'), recipientCreatedTaxInvoice: undefined }),
    '0.00 0.00',
  ],
  [
    'GST in a total of zero',
    total('0.00', { taxInvoice: taxInvoice('-1.00', '1.00'), recipientCreatedTaxInvoice: undefined }),
    undefined,
  ],
])('%s', (_, invoice, expected) => {
  const split = splitTotal(invoice);
  expect(split && `${split.gstExclusive} ${split.gst}`).toBe(expected);
});
