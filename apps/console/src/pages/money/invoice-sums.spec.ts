import type { InvoiceRow } from '../../api/operations.js';
import { whyLeftOut } from './invoice-sums.js';

const invoice = { status: 'issued', payableAmount: '5.00', direction: 'pay' } as InvoiceRow;

it.each<[Partial<InvoiceRow>, string | undefined]>([
  [{}, undefined],
  [{ status: 'due', payableAmount: '-5.00' }, undefined],
  [{ status: 'overdue' }, 'not issued yet'],
  [{ status: 'reversed' }, 'reversed'],
  [{ settlementRequired: false }, 'needs no settlement'],
  [{ payableAmount: undefined }, 'amount unknown'],
  [{ payableAmount: '0.00' }, 'zero'],
  [{ direction: undefined }, 'who pays is unknown'],
])('%j', (more, reason) => {
  expect(whyLeftOut({ ...invoice, ...more })).toBe(reason);
});
