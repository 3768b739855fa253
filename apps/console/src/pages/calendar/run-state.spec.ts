import { findAmount, findNextDate, type Run } from './run-state.js';

const TODAY = '2026-10-01';

it.each<[string, Run, string | undefined]>([
  ['expected', { status: 'expected', statementDueDate: '2026-10-02' }, 'Statement due 2026-10-02'],
  [
    'overdue',
    { status: 'overdue', statementOverdueSince: '2026-09-25T17:00:00.000Z', statementDueDate: '2026-09-24' },
    'Statement was due 2026-09-24',
  ],
  [
    'overdue without a due date',
    { status: 'overdue', statementOverdueSince: '2026-09-25T17:00:00.000Z' },
    'Statement was due 2026-09-26',
  ],
  [
    'an overdue invoice',
    {
      status: 'overdue',
      payment: '1',
      charge: '2',
      invoiceOverdueSince: '2026-09-26T17:00:00.000Z',
      invoiceDueDate: '2026-09-25',
    },
    'Invoice was due 2026-09-25',
  ],
  [
    'published',
    {
      status: 'published',
      payment: '1',
      charge: '2',
      invoiceDueDate: '2026-10-03',
      disagreeUntil: '2026-10-20',
    },
    'Invoice due 2026-10-03',
  ],
  [
    'invoiced',
    {
      status: 'invoiced',
      payment: '1',
      charge: '2',
      payableAmount: '1.10',
      direction: 'pay',
      paymentDueDate: '2026-10-05',
      disagreeUntil: '2026-10-20',
    },
    'Pay by 2026-10-05',
  ],
  [
    'paid in the past',
    { status: 'invoiced', payment: '1', paymentDueDate: '2026-09-30', disagreeUntil: '2026-10-20' },
    'Dispute until 2026-10-20',
  ],
  ['nothing to come', { status: 'invoiced', payment: '1', paymentDueDate: '2026-09-30' }, undefined],
])('names the next date of a run that is %s', (_, run, expected) => {
  const next = findNextDate(run, TODAY);
  expect(next && `${next.what} ${next.day}`).toBe(expected);
});

it('takes the amount of the invoice, and of the statement before it', () => {
  const statement = { status: 'published', payment: '100.5', charge: '300.75' } as const;
  expect(findAmount(statement)).toEqual({ direction: 'pay', amount: '200.25', of: 'statement' });
  expect(findAmount({ ...statement, designation: 'ADJ1' })).toEqual({
    direction: undefined,
    amount: '-200.25',
    of: 'statement',
  });
  expect(findAmount({ ...statement, payableAmount: '-220.28', direction: 'receive' })).toEqual({
    direction: 'receive',
    amount: '220.28',
    of: 'invoice',
  });
  expect(findAmount({ ...statement, payableAmount: '-220.28' })).toMatchObject({ amount: '-220.28' });
  expect(findAmount({ status: 'expected' })).toBeUndefined();
});
