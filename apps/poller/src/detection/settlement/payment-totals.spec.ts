import { sumPayments } from './payment-totals.js';
import { day, decimal, time } from '../../../test/support/settlement.js';
import { NEW_INVOICE, type InvoiceFigures, type InvoiceState } from './states.js';

const invoice = (payableAmount: string | undefined, changes: Partial<InvoiceFigures> = {}): InvoiceState => ({
  ...NEW_INVOICE,
  current: {
    id: 'INV-1',
    seenAt: '2026-03-14T12:00:00.000Z',
    figures: {
      digest: '0'.repeat(64),
      market: 'WEM',
      designation: 'INITIAL',
      periodFrom: time('2026-03-01T00:00:00'),
      dueDate: day('2026-03-27'),
      payableAmount: payableAmount === undefined ? undefined : decimal(payableAmount),
      settlementRequired: true,
      taxSums: {},
      ...changes,
    },
  },
});
const sum = (...invoices: InvoiceState[]) => sumPayments(invoices, day('2026-03-27'), 'pay');

it('sums 23 digits with 8 decimals exactly', () => {
  expect(
    sum(
      invoice('123456789012345.12345678'),
      invoice('999999999999999.99999999', { market: 'NSTEM' }),
      invoice('-0.00000001'),
      invoice('-123456789012345.10'),
    ),
  ).toEqual({
    payable: '1123456789012345.12345677',
    receivable: '123456789012345.10000001',
    net: '-1000000000000000.02345676',
    invoices: 4,
  });
});

it.each<[string, InvoiceState]>([
  ['of another day', invoice('5.00', { dueDate: day('2026-03-28') })],
  ['that was reversed', invoice('5.00', { isReversed: true })],
  ['that needs no settlement', invoice('5.00', { settlementRequired: false })],
  ['of zero', invoice('0.00')],
  ['without an amount', invoice(undefined)],
  ['that is not issued', NEW_INVOICE],
])('an invoice %s is not in the sums', (_, other) => {
  expect(sum(invoice('1.50'), other)).toEqual({
    payable: '1.50',
    receivable: '0',
    net: '-1.50',
    invoices: 1,
  });
});

it('the sign has the meaning of the setting', () => {
  const [payable, receivable] = [invoice('1.50'), invoice('-2')];
  expect(sumPayments([payable, receivable], day('2026-03-27'), 'receive')).toMatchObject({
    payable: '2',
    receivable: '1.50',
    net: '-0.50',
  });
});
