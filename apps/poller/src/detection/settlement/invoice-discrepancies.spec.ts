import type { InvoiceDiscrepancy } from '@ssb/events';
import type { AdjustmentLine, SettlementInvoice, TaxInvoice } from '@ssb/market';
import { findDiscrepancies, sumTaxInvoices } from './invoice-discrepancies.js';
import { decimal, INVOICE, SETTINGS } from '../../../test/support/settlement.js';

const check = (invoice: SettlementInvoice, earlier?: SettlementInvoice): string[] =>
  findDiscrepancies(invoice, earlier && sumTaxInvoices(earlier), SETTINGS.discrepancies).map(describeOne);

const describeOne = ({ rule, path, expected, stated }: InvoiceDiscrepancy): string =>
  `${rule} ${path}: ${expected}, not ${stated}`;

const total = (gstExclusive: string, gst: string, gstInclusive: string) => ({
  gstExclusive: decimal(gstExclusive),
  gst: decimal(gst),
  gstInclusive: decimal(gstInclusive),
});
const lines = (...amounts: string[]) => amounts.map((amount) => ({ amount: decimal(amount) }));
const taxInvoice = (changes: Partial<TaxInvoice>): SettlementInvoice => ({
  ...INVOICE,
  taxInvoice: { id: 'INV-1-T', ...changes },
});
const summary = (changes: Partial<NonNullable<SettlementInvoice['paymentSummary']>>): SettlementInvoice => ({
  ...INVOICE,
  paymentSummary: { ...INVOICE.paymentSummary!, ...changes },
});

describe('findDiscrepancies', () => {
  it.each<[string, SettlementInvoice, string[]]>([
    ['an invoice that agrees', INVOICE, []],
    ['only the required fields', { ...INVOICE, paymentSummary: undefined, taxInvoice: undefined }, []],
    [
      'a total that is a cent off',
      summary({ total: decimal('127.02') }),
      ['line-items paymentSummary.total: 127.01, not 127.02'],
    ],
    ['the same total with fewer zeros', summary({ lineItems: lines('127.0'), total: decimal('127') }), []],
    ['a total without line items', summary({ lineItems: [], total: decimal('5.00') }), []],
    ['a payable amount that differs from the total', summary({ payableAmount: decimal('5.00') }), []],
    [
      'amounts of 23 digits',
      summary({
        lineItems: lines('100000000000000000000.01', '0.01'),
        total: decimal('100000000000000000000.01'),
      }),
      ['line-items paymentSummary.total: 100000000000000000000.02, not 100000000000000000000.01'],
    ],
    [
      'lines that do not add up',
      taxInvoice({
        gstApplicable: lines('100.00'),
        gstFree: lines('5.00'),
        total: total('105.01', '10.00', '115.01'),
      }),
      ['gst-exclusive taxInvoice.total.gstExclusive: 105.00, not 105.01'],
    ],
    ['no lines: only the total is compared', taxInvoice({ total: total('105.01', '3.00', '108.01') }), []],
    [
      'only lines without GST: GST is not determined',
      taxInvoice({ gstFree: lines('5.00'), total: total('5.00', '0.70', '5.70') }),
      [],
    ],
    [
      'GST within a cent for one line',
      taxInvoice({ gstApplicable: lines('100.00'), total: total('100.00', '10.01', '110.01') }),
      [],
    ],
    [
      'GST beyond a cent for one line',
      taxInvoice({ gstApplicable: lines('100.00'), total: total('100.00', '9.98', '109.98') }),
      ['gst taxInvoice.total.gst: 10.00, not 9.98'],
    ],
    [
      'GST within three cents for three lines',
      taxInvoice({ gstApplicable: lines('0.04', '0.04', '0.04'), total: total('0.12', '0.00', '0.12') }),
      [],
    ],
    [
      'GST beyond three cents for three lines',
      taxInvoice({
        gstApplicable: lines('-1.00', '-1.00', '-1.11'),
        total: total('-3.11', '-0.35', '-3.46'),
      }),
      ['gst taxInvoice.total.gst: -0.311, not -0.35'],
    ],
    [
      'an inclusive total that is a cent off',
      taxInvoice({ total: total('100.00', '10.00', '110.01') }),
      ['gst-inclusive taxInvoice.total.gstInclusive: 110.00, not 110.01'],
    ],
    [
      'the recipient-created tax invoice',
      {
        ...INVOICE,
        recipientCreatedTaxInvoice: {
          id: 'R',
          gstApplicable: lines('30.00'),
          total: total('30.00', '4.00', '33.00'),
        },
      },
      [
        'gst recipientCreatedTaxInvoice.total.gst: 3.00, not 4.00',
        'gst-inclusive recipientCreatedTaxInvoice.total.gstInclusive: 34.00, not 33.00',
      ],
    ],
  ])('%s', (_, invoice, expected) => {
    expect(check(invoice)).toEqual(expected);
  });

  it('uses the configured rate and tolerance', () => {
    const invoice: SettlementInvoice = {
      ...taxInvoice({ gstApplicable: lines('200.00'), total: total('200.00', '25.00', '225.00') }),
      recipientCreatedTaxInvoice: undefined,
    };
    const find = (gstPercent: string, gstTolerance: string) =>
      findDiscrepancies(invoice, undefined, {
        gstPercent: decimal(gstPercent),
        gstTolerance: decimal(gstTolerance),
      }).map(describeOne);
    expect(find('12.5', '0')).toEqual([]);
    expect(find('15', '5')).toEqual([]);
    expect(find('15', '4.99')).toEqual(['gst taxInvoice.total.gst: 30.00, not 25.00']);
  });
});

describe('an adjustment', () => {
  const line = (previous: string, current: string, adjustment: string): AdjustmentLine => ({
    previous: decimal(previous),
    current: decimal(current),
    adjustment: decimal(adjustment),
  });
  const adjust = (
    taxInvoiceAdjustment: NonNullable<SettlementInvoice['adjustmentSummary']>['taxInvoiceAdjustment'],
  ) => ({
    ...INVOICE,
    adjustmentSummary: { taxInvoiceAdjustment },
  });
  const PATH = 'adjustmentSummary.taxInvoiceAdjustment';
  /** The amounts of `INVOICE`. */
  const AGREEING = {
    gstApplicable: {
      gstExclusive: line('100.01', '110.01', '10.00'),
      gst: line('10.00', '11.00', '1.00'),
      gstInclusive: line('110.01', '121.01', '11.00'),
    },
    gstFree: line('50.00', '45.00', '-5.00'),
  };

  it('agrees with the earlier invoice', () => {
    expect(check(adjust(AGREEING), INVOICE)).toEqual([]);
  });

  it.each<[string, Parameters<typeof adjust>[0], SettlementInvoice | undefined, string[]]>([
    [
      'a difference that is a cent off',
      { gstFree: line('50.00', '45.00', '-5.01') },
      INVOICE,
      [`adjustment ${PATH}.gstFree.adjustment: -5.00, not -5.01`],
    ],
    [
      'every previous amount wrong',
      {
        gstApplicable: {
          gstExclusive: line('1.00', '1.00', '0.00'),
          gst: line('2.00', '2.00', '0.00'),
          gstInclusive: line('3.00', '3.00', '0.00'),
        },
        gstFree: line('4.00', '4.00', '0.00'),
      },
      INVOICE,
      [
        `previous ${PATH}.gstApplicable.gstExclusive.previous: 100.01, not 1.00`,
        `previous ${PATH}.gstApplicable.gst.previous: 10.00, not 2.00`,
        `previous ${PATH}.gstApplicable.gstInclusive.previous: 110.01, not 3.00`,
        `previous ${PATH}.gstFree.previous: 50.00, not 4.00`,
      ],
    ],
    ['no earlier invoice', { gstFree: line('4.00', '4.00', '0.00') }, undefined, []],
    [
      'an earlier invoice without lines: only GST is determined',
      {
        gstApplicable: { gstExclusive: line('1', '1', '0'), gst: line('2', '2', '0') },
        gstFree: line('4', '4', '0'),
      },
      taxInvoice({ total: total('150.01', '10.00', '160.01') }),
      [`previous ${PATH}.gstApplicable.gst.previous: 10.00, not 2`],
    ],
  ])('%s', (_, adjustment, earlier, expected) => {
    expect(check(adjust(adjustment), earlier)).toEqual(expected);
  });

  it('compares the payments with the recipient-created tax invoice', () => {
    const adjustment = { gstApplicable: { gstExclusive: line('31.00', '31.00', '0.00') } };
    const adjusted = { ...INVOICE, adjustmentSummary: { recipientCreatedTaxInvoiceAdjustment: adjustment } };
    expect(check(adjusted, INVOICE)).toEqual([
      'previous adjustmentSummary.recipientCreatedTaxInvoiceAdjustment.gstApplicable.gstExclusive.previous: 30.00, not 31.00',
    ]);
  });
});
