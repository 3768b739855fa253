import { Link } from '@tanstack/react-router';
import type { PaymentDay, PaymentsPage } from '../../api/operations.js';
import { decimalsOf } from '../../format/amount.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Totals } from '../../ui/payment-totals.js';
import { Amount, Day } from '../../ui/values.js';

/** What is paid and received on each day, and the total of all. */
export function ComingPayments({ payments: { items, total } }: { readonly payments: PaymentsPage }) {
  return (
    <div className="overview-payments">
      {(items.length > 0 || total.withoutDirection > 0) && <Totals total={total} />}
      <DataTable
        caption="Payable and receivable by day, in AUD"
        columns={columnsOf(items)}
        rows={items}
        rowKey={({ dueDate }) => dueDate}
        empty="No invoice is due in the next 14 days."
      />
    </div>
  );
}

function columnsOf(days: readonly PaymentDay[]): readonly Column<PaymentDay>[] {
  const decimals = decimalsOf(days.flatMap(({ payable, receivable, net }) => [payable, receivable, net]));
  const amount = (header: string, valueOf: (day: PaymentDay) => string): Column<PaymentDay> => ({
    id: header,
    header,
    kind: 'number',
    cell: (day) => <Amount value={valueOf(day)} decimals={decimals} />,
  });
  return [
    {
      id: 'day',
      header: 'Due',
      cell: ({ dueDate }) => (
        <Link to="/money" search={{ from: dueDate, to: dueDate, day: dueDate }}>
          <Day value={dueDate} />
        </Link>
      ),
    },
    amount('Pay', ({ payable }) => payable),
    amount('Receive', ({ receivable }) => receivable),
    amount('Net', ({ net }) => net),
  ];
}
