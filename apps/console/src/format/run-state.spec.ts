import { describeInvoiceState, describeRunState, findState } from './run-state.js';

const TODAY = '2026-10-01';

it('is due until the day of its payment has passed', () => {
  const invoiced = { status: 'invoiced', paymentDueDate: '2026-10-01', payableAmount: '12.00' } as const;
  expect(findState(invoiced, TODAY)).toBe('due');
  expect(findState(invoiced, '2026-10-02')).toBe('invoiced');
  expect(findState({ ...invoiced, payableAmount: '0.00' }, TODAY)).toBe('invoiced');
  expect(findState({ status: 'revised' }, TODAY)).toBe('revised');
});

it.each(['pay', 'receive', undefined] as const)(
  'shows a run and its invoice alike while a payment is due (%s)',
  (direction) => {
    const payable = { payableAmount: '12.00', ...(direction && { direction }) };
    const run = describeRunState({ ...payable, status: 'invoiced', paymentDueDate: '2026-10-02' }, TODAY);
    const invoice = { ...payable, status: 'adjusted', dueDate: '2026-10-02' } as const;
    expect(describeInvoiceState(invoice, TODAY)).toEqual(run);
    expect(run.tone).toBe(direction === 'receive' ? 'info' : 'warning');
    expect(describeInvoiceState({ ...invoice, dueDate: '2026-09-30' }, TODAY).label).toBe('invoiced');
  },
);

it('shows no payment of an invoice that was replaced or reversed', () => {
  const invoice = { status: 'issued', dueDate: '2026-10-02', replacedBy: 'another' } as const;
  expect(describeInvoiceState(invoice, TODAY)).toEqual({ label: 'replaced', tone: 'muted' });
  expect(describeInvoiceState({ ...invoice, status: 'reversed' }, TODAY).label).toBe('reversed');
});
