import type { InvoiceRow, StatementDetail } from '../../api/operations.js';
import { isNegative, withoutSign } from '../../format/amount.js';
import { describeDistance } from '../../format/days-left.js';
import { describeInvoiceState } from '../../format/run-state.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { documentColumn, useInvoiceDocuments } from '../../ui/invoice-documents.js';
import { Section } from '../../ui/page.js';
import { Absent, Amount, Day, MarketTime } from '../../ui/values.js';

const columns = (
  today: string,
  documents: ReturnType<typeof useInvoiceDocuments>,
): readonly Column<InvoiceRow>[] => [
  { id: 'number', header: 'Invoice', cell: ({ number }) => number ?? <Absent /> },
  {
    id: 'status',
    header: 'Status',
    cell: (invoice) => <InvoiceState invoice={invoice} today={today} />,
  },
  {
    id: 'due',
    header: 'Due',
    cell: ({ dueDate, invoiceDate }) => (
      <span className="statement-pair">
        <span>
          <Day value={dueDate} />
          {dueDate !== undefined && <span className="hint">, {describeDistance(dueDate, today)}</span>}
        </span>
        {invoiceDate !== undefined && (
          <span className="hint">
            dated <Day value={invoiceDate} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'gstExclusive',
    header: 'Without GST',
    kind: 'number',
    cell: ({ gstExclusive }) => <Amount value={gstExclusive} className="statement-plain" />,
  },
  {
    id: 'gst',
    header: 'GST',
    kind: 'number',
    cell: ({ gst }) => <Amount value={gst} className="statement-plain" />,
  },
  {
    id: 'total',
    header: 'Total',
    kind: 'number',
    cell: ({ total }) => <Amount value={total} className="statement-plain" />,
  },
  {
    id: 'payable',
    header: 'Payable',
    kind: 'number',
    cell: ({ payableAmount, direction, settlementRequired }) => (
      <span>
        {direction && <span className="hint">{direction} </span>}
        <Amount value={direction && payableAmount ? withoutSign(payableAmount) : payableAmount} />
        {settlementRequired === false && <span className="hint"> needs no settlement</span>}
      </span>
    ),
  },
  documentColumn(documents),
];

/** The invoices of the run, reversed ones too, with their PDFs. */
export function StatementInvoices({
  statement,
  today,
}: {
  readonly statement: StatementDetail;
  readonly today: string;
}) {
  const { invoices, moreInvoices } = statement;
  const documents = useInvoiceDocuments(invoices);
  return (
    <Section title="Invoices">
      <DataTable
        caption="Invoices of the run"
        columns={columns(today, documents)}
        rows={invoices}
        rowKey={({ id }) => id}
        empty="There is no invoice yet."
      />
      {invoices.some(({ total = '' }) => isNegative(total)) && (
        <p className="hint">Amounts of an invoice below zero are received by the participant.</p>
      )}
      {moreInvoices && <p className="hint">Further invoices are left out. The events have all.</p>}
    </Section>
  );
}

function InvoiceState({ invoice, today }: { readonly invoice: InvoiceRow; readonly today: string }) {
  const { status, overdueSince } = invoice;
  const { label, tone } = describeInvoiceState(invoice, today);
  return (
    <span>
      <Badge tone={tone}>{label}</Badge>
      {status === 'adjusted' && <span className="hint"> adjusts an earlier invoice</span>}
      {overdueSince !== undefined && (
        <span className="hint">
          {' '}
          since <MarketTime at={overdueSince} />
        </span>
      )}
    </span>
  );
}
