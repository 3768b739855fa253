import { Link } from '@tanstack/react-router';
import type { PaymentDay, PaymentsPage } from '../../api/operations.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Note } from '../../ui/notes.js';
import { Amount, Day } from '../../ui/values.js';

/** What is paid and received on each day, and the total of all. */
export function ComingPayments({ payments: { items, total } }: { readonly payments: PaymentsPage }) {
  const { withoutDirection } = total;
  return (
    <>
      {items.length > 0 && (
        <dl className="overview-totals">
          <div>
            <dt>Pay</dt>
            <dd>
              <Amount value={total.payable} />
            </dd>
          </div>
          <div>
            <dt>Receive</dt>
            <dd>
              <Amount value={total.receivable} />
            </dd>
          </div>
          <div>
            <dt>Net</dt>
            <dd>
              <Amount value={total.net} />
            </dd>
          </div>
        </dl>
      )}
      <DataTable
        caption="Payable and receivable by day, in AUD"
        columns={COLUMNS}
        rows={items}
        rowKey={({ dueDate }) => dueDate}
        empty="No invoice is due in the next 14 days."
      />
      {withoutDirection > 0 && (
        <Note kind="warning">
          {withoutDirection === 1 ? '1 invoice is' : `${withoutDirection} invoices are`} not in the sums,
          because the amount or who pays is unknown.
        </Note>
      )}
    </>
  );
}

const COLUMNS: readonly Column<PaymentDay>[] = [
  {
    id: 'day',
    header: 'Due',
    cell: ({ dueDate }) => (
      <Link to="/money" search={{ from: dueDate, to: dueDate, day: dueDate }}>
        <Day value={dueDate} />
      </Link>
    ),
  },
  { id: 'pay', header: 'Pay', kind: 'number', cell: ({ payable }) => <Amount value={payable} /> },
  {
    id: 'receive',
    header: 'Receive',
    kind: 'number',
    cell: ({ receivable }) => <Amount value={receivable} />,
  },
  { id: 'net', header: 'Net', kind: 'number', cell: ({ net }) => <Amount value={net} /> },
];
