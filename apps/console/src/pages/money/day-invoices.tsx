import { Link } from '@tanstack/react-router';
import type { InvoiceRow, PaymentDay } from '../../api/operations.js';
import { useWholeListing } from '../../api/whole-listing.js';
import { decimalsOf, withoutSign } from '../../format/amount.js';
import { addDays } from '../../format/market-time.js';
import { nameRun } from '../../format/run-name.js';
import { describeInvoiceState } from '../../format/run-state.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Content } from '../../ui/page.js';
import { Absent, Amount, useToday } from '../../ui/values.js';
import { documentColumn, useInvoiceDocuments } from '../../ui/invoice-documents.js';
import { whyLeftOut } from './invoice-sums.js';
import type { MoneyFilters } from './money-filters.js';

interface DayInvoicesProps {
  readonly day: PaymentDay;
  readonly filters: MoneyFilters;
}

/** The invoices that are due on a day. */
export function DayInvoices({
  day: { dueDate, markets },
  filters: { participant, market },
}: DayInvoicesProps) {
  const invoices = useWholeListing('/v1/invoices', {
    query: {
      dueSince: dueDate,
      dueUntil: addDays(dueDate, 1),
      ...(participant !== undefined && { participant: [participant] }),
      ...(market !== undefined && { market: [market] }),
      limit: 100,
    },
  });
  return (
    <div className="stack">
      {markets.length > 1 && (
        <ul className="money-markets">
          {markets.map(({ market: name, net }) => (
            <li key={name}>
              {name}: net <Amount value={net} />
            </li>
          ))}
        </ul>
      )}
      <Content of={invoices} what="the invoices">
        {({ rows, isCut }) => (
          <>
            <InvoiceTable rows={rows} />
            {isCut && <p className="hint">There are more. The CSV has all.</p>}
          </>
        )}
      </Content>
    </div>
  );
}

function InvoiceTable({ rows }: { readonly rows: readonly InvoiceRow[] }) {
  const documents = useInvoiceDocuments(rows);
  return (
    <DataTable
      caption="Invoices of the day, amounts in AUD"
      columns={columnsOf(rows, documents)}
      rows={rows}
      rowKey={({ id }) => id}
      empty="No invoice is due on this day any more."
    />
  );
}

const columnsOf = (
  rows: readonly InvoiceRow[],
  documents: ReturnType<typeof useInvoiceDocuments>,
): readonly Column<InvoiceRow>[] => {
  const decimals = decimalsOf(rows.flatMap(({ payableAmount, total, gst }) => [payableAmount, total, gst]));
  return [
    { id: 'number', header: 'Invoice', cell: ({ number }) => number ?? <Absent /> },
    { id: 'participant', header: 'Participant', cell: ({ participant }) => participant },
    {
      id: 'statement',
      header: 'Statement',
      cell: ({ statementId, market, periodFrom, designation }) => (
        <Link to="/statements/$id" params={{ id: statementId }}>
          {nameRun({ market, periodFrom, designation })}
        </Link>
      ),
    },
    {
      id: 'amount',
      header: 'To settle',
      kind: 'number',
      cell: (invoice) => <ToSettle invoice={invoice} decimals={decimals} />,
    },
    {
      id: 'total',
      header: 'Total',
      kind: 'number',
      cell: ({ total }) => <Amount value={total} decimals={decimals} />,
    },
    {
      id: 'gst',
      header: 'GST',
      kind: 'number',
      cell: ({ gst }) => <Amount value={gst} decimals={decimals} />,
    },
    { id: 'status', header: 'Status', cell: (invoice) => <Status invoice={invoice} /> },
    documentColumn(documents),
  ];
};

interface ToSettleProps {
  readonly invoice: InvoiceRow;
  readonly decimals: number;
}

function ToSettle({ invoice: { payableAmount, direction }, decimals }: ToSettleProps) {
  if (payableAmount === undefined || direction === undefined)
    return <Amount value={payableAmount} decimals={decimals} />;
  return (
    <span className="money-settle">
      {direction} <Amount value={withoutSign(payableAmount)} decimals={decimals} />
    </span>
  );
}

function Status({ invoice }: { readonly invoice: InvoiceRow }) {
  const reason = whyLeftOut(invoice);
  const { label, tone } = describeInvoiceState(invoice, useToday());
  return (
    <span className="money-status">
      <Badge tone={tone}>{label}</Badge>
      {reason !== undefined && <Badge tone="warning">not in the sums: {reason}</Badge>}
      {invoice.discrepancies > 0 && <Badge tone="warning">amounts do not agree</Badge>}
    </span>
  );
}
