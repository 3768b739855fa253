import { findNotInvoiced } from './invoice-age.js';

const PUBLISHED = { publishedAt: '2026-11-28T07:01:06.000Z', payment: '839.42', charge: '197.25' };
/** After midnight in the market. */
const REVISED = { publishedAt: '2026-11-30T19:04:17.000Z', payment: '1289.87', charge: '407.95' };
const ISSUED = { status: 'issued', invoiceDate: '2026-11-30' } as const;

it('says what a revision after the invoice has changed', () => {
  expect(findNotInvoiced([REVISED, PUBLISHED], [ISSUED])).toEqual({
    invoiceDate: '2026-11-30',
    net: '239.75',
  });
});

it.each([
  ['there is no revision', [PUBLISHED], [ISSUED]],
  ['there is no invoice', [REVISED, PUBLISHED], []],
  ['the invoice was reversed', [REVISED, PUBLISHED], [{ ...ISSUED, status: 'reversed' }]],
  ['a later invoice replaces it', [REVISED, PUBLISHED], [ISSUED, { ...ISSUED, invoiceDate: '2026-12-01' }]],
] as const)('says nothing when %s', (_, versions, invoices) => {
  expect(findNotInvoiced(versions, invoices)).toBeUndefined();
});
