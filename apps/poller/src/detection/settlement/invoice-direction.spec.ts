import type { SettlementInvoice } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import { detectInvoice } from './detect-invoice.js';
import {
  at,
  decimal,
  idsOf,
  INVOICE,
  play,
  RUN,
  SETTINGS,
  typesOf,
  type Step,
} from '../../../test/support/settlement.js';
import { formatState, parseInvoiceState, type InvoiceState } from './states.js';

type PositiveAmount = DetectionSettings['payments']['positiveAmount'];

const FORM = { parse: parseInvoiceState, format: formatState };

const payable = (amount: string, changes: Partial<SettlementInvoice> = {}): SettlementInvoice => ({
  ...INVOICE,
  paymentSummary: { total: decimal(amount), payableAmount: decimal(amount), settlementRequired: true },
  ...changes,
});
const serve =
  (invoice: SettlementInvoice, positiveAmount: PositiveAmount = 'pay'): Step<InvoiceState> =>
  (state) => {
    const settings = { ...SETTINGS, payments: { ...SETTINGS.payments, positiveAmount } };
    return detectInvoice(state, RUN, invoice, undefined, at('2026-03-14T12:00:00', settings));
  };
const factsOf = (...steps: Step<InvoiceState>[]) => play(FORM, undefined, ...steps).flat();
const dataOf = (...steps: Step<InvoiceState>[]): object[] => factsOf(...steps).map(({ data }) => data);

it.each<[string, PositiveAmount, 'pay' | 'receive' | undefined]>([
  ['0.01', 'pay', 'pay'],
  ['-0.01', 'pay', 'receive'],
  ['0.01', 'receive', 'receive'],
  ['-0.01', 'receive', 'pay'],
  ['-123456789012345.12345678', 'pay', 'receive'],
  ['0.00', 'pay', undefined],
  ['0', 'receive', undefined],
])('%s where a positive amount means %s: %s', (amount, positiveAmount, expected) => {
  const [data] = dataOf(serve(payable(amount), positiveAmount));
  expect((data as { direction?: string }).direction).toBe(expected);
});

it('an invoice without a payment summary has no direction', () => {
  const [data] = dataOf(serve({ ...INVOICE, paymentSummary: undefined }));
  expect((data as { direction?: string }).direction).toBeUndefined();
});

it('an invoice that needs no settlement says what its sign means', () => {
  const { paymentSummary } = payable('1.00');
  const unsettled = payable('1.00', { paymentSummary: { ...paymentSummary!, settlementRequired: false } });
  expect(dataOf(serve(unsettled))).toMatchObject([{ direction: 'pay', settlementRequired: false }]);
});

it('a change has the direction before and after', () => {
  const [, changed] = dataOf(serve(payable('5.00')), serve(payable('-7.00')));
  expect(changed).toMatchObject({
    payableAmount: '-7.00',
    direction: 'receive',
    changed: { payableAmount: '5.00', direction: 'pay' },
  });
});

it('a replacement has the direction of both invoices', () => {
  const [, reversed] = dataOf(serve(payable('5.00')), serve(payable('-7.00', { id: 'INV-2' })));
  expect(reversed).toMatchObject({ direction: 'receive', reversed: { id: 'INV-1', direction: 'pay' } });
});

it('a discrepancy has the direction of its invoice', () => {
  const wrong = { ...INVOICE, paymentSummary: { ...INVOICE.paymentSummary!, total: decimal('127.02') } };
  const facts = factsOf(serve(wrong));
  expect(typesOf(facts)).toEqual(['invoice.issued', 'invoice.discrepancy']);
  expect(facts[1]?.data).toMatchObject({ direction: 'pay' });
});

it('another meaning of the sign gives the same ids, and announces nothing again', () => {
  const [pay, receive] = [factsOf(serve(INVOICE, 'pay')), factsOf(serve(INVOICE, 'receive'))];
  expect(idsOf(receive)).toEqual(idsOf(pay));
  expect(factsOf(serve(INVOICE, 'pay'), serve(INVOICE, 'receive'))).toHaveLength(1);
});
