import {
  parseDecimal,
  parseMarketDate,
  parseMarketDateTime,
  startOfDay,
  type Designation,
  type LineItem,
  type SettlementStatementSummary,
} from '@ssb/market';
import { buildInvoice } from './invoice.js';
import { weekFrom } from '../calendar/period.js';
import type { SettlementRun } from '../calendar/settlement-run.js';

const day = parseMarketDate;
const publishedAt = parseMarketDateTime('2026-03-12T10:00:00');

const run = (designation: Designation = 'INITIAL'): SettlementRun => ({
  period: weekFrom('WEM', day('2026-03-01')),
  designation,
  statementDate: day('2026-03-12'),
  invoiceDate: day('2026-03-13'),
  settlementDate: day('2026-03-18'),
});

/** A statement of one day with given values. */
const statement = (...rows: [string, 'P' | 'C', 'Y' | 'N', string][]): SettlementStatementSummary => ({
  runId: 1,
  publishedAt,
  marketService: 'WEM',
  designation: 'INITIAL',
  period: 'TW 01 MAR 2026',
  periodFrom: startOfDay(day('2026-03-01')),
  periodTo: startOfDay(day('2026-03-07')),
  participantCode: 'WPGENCO',
  tradingDays: [
    {
      tradingDay: startOfDay(day('2026-03-01')),
      variables: rows.map(([variable, pOrC, gstApplicable, value]) => ({
        variable,
        pOrC,
        gstApplicable,
        value: parseDecimal(value),
      })),
    },
  ],
});

const invoice = (
  now: SettlementStatementSummary,
  previous?: SettlementStatementSummary,
  previousError?: string,
) =>
  buildInvoice({
    id: 'INV-1',
    participant: 'WPGENCO',
    run: run(previous && 'ADJ1'),
    statement: now,
    previous,
    previousError,
  });

const amounts = (lines: LineItem[] | null | undefined) => (lines ?? []).map(({ amount }) => amount);

describe('an invoice computed by hand', () => {
  // Charges: 100.005 → 100.01 with GST 10.00, and 50.00 free. Payments: 30.00 with GST 3.00.
  const first = statement(
    ['ENERGY', 'C', 'Y', '60.002'],
    ['ENERGY', 'C', 'Y', '40.003'],
    ['PENALTY', 'C', 'N', '50.00'],
    ['SALE', 'P', 'Y', '30.00'],
  );

  it('rounds each variable once, adds GST to taxable lines, and nets charges and payments', () => {
    const { paymentSummary, taxInvoice, recipientCreatedTaxInvoice } = invoice(first);
    expect(amounts(paymentSummary?.lineItems)).toEqual(['100.01', '50.00', '10.00', '-30.00', '-3.00']);
    expect(paymentSummary).toMatchObject({
      total: '127.01',
      payableAmount: '127.01',
      settlementRequired: true,
    });
    expect(taxInvoice?.total).toEqual({ gstExclusive: '150.01', gst: '10.00', gstInclusive: '160.01' });
    expect(recipientCreatedTaxInvoice?.total).toEqual({
      gstExclusive: '30.00',
      gst: '3.00',
      gstInclusive: '33.00',
    });
  });

  it('makes only the difference payable with an adjustment', () => {
    const second = statement(
      ['ENERGY', 'C', 'Y', '90.00'],
      ['PENALTY', 'C', 'N', '50.00'],
      ['SALE', 'P', 'Y', '30.00'],
    );
    const { paymentSummary, adjustmentSummary, adjustment } = invoice(second, first);
    expect(adjustment).toBe(1);
    expect(paymentSummary?.total).toBe('-11.01'); // 90 + 9 + 50 − 33 = 116.00, less 127.01
    expect(adjustmentSummary?.taxInvoiceAdjustment).toEqual({
      gstApplicable: {
        gstExclusive: { previous: '100.01', current: '90.00', adjustment: '-10.01' },
        gst: { previous: '10.00', current: '9.00', adjustment: '-1.00' },
        gstInclusive: { previous: '110.01', current: '99.00', adjustment: '-11.01' },
      },
      gstFree: { previous: '50.00', current: '50.00', adjustment: '0.00' },
    });
  });

  it('adds an error to the previous GST-free charges, and keeps their adjustment consistent', () => {
    const { adjustmentSummary } = invoice(first, first, '250.00');
    const { gstApplicable, gstFree } = adjustmentSummary?.taxInvoiceAdjustment ?? {};
    expect(gstFree).toEqual({ previous: '300.00', current: '50.00', adjustment: '-250.00' });
    expect(gstApplicable?.gst).toEqual({ previous: '10.00', current: '10.00', adjustment: '0.00' });
  });

  it('requires no settlement of a total of zero', () => {
    const even = statement(['ENERGY', 'C', 'Y', '10.00'], ['SALE', 'P', 'Y', '10.00']);
    expect(invoice(even).paymentSummary).toMatchObject({ total: '0.00', settlementRequired: false });
  });
});
