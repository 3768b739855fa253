import type { DocumentRow, InvoiceRow } from '../api/operations.js';
import { useWholeListing } from '../api/whole-listing.js';
import { formatBytes } from '../format/bytes.js';
import { selectDocuments, toDocumentQuery, type InvoiceKey } from './document-selection.js';
import type { Column } from './data-table.js';
import { Absent, MarketTime } from './values.js';

/** An event announces each new document. */
const REFRESH_MS = 600_000;

/** Reads the documents of all rows of a table at once. */
export function useInvoiceDocuments(invoices: readonly InvoiceKey[]) {
  const query = toDocumentQuery(invoices);
  return useWholeListing('/v1/documents', {
    ...(query && { query }),
    enabled: query !== undefined,
    refetchInterval: REFRESH_MS,
  });
}

interface InvoiceDocumentsProps {
  readonly invoice: InvoiceKey;
  /** Those of all rows. */
  readonly documents: ReturnType<typeof useInvoiceDocuments>;
}

/** The column of a table of invoices that has their PDFs. */
export const documentColumn = (documents: InvoiceDocumentsProps['documents']): Column<InvoiceRow> => ({
  id: 'pdf',
  header: 'PDF',
  cell: (invoice) => <InvoiceDocuments invoice={invoice} documents={documents} />,
});

/** The PDFs of an invoice, the newest first. */
function InvoiceDocuments({ invoice, documents: { data, error } }: InvoiceDocumentsProps) {
  const { number } = invoice;
  if (number === undefined) return <Absent />;
  if (data === undefined) return <span className="hint">{error ? 'could not be read' : '…'}</span>;
  const [newest, ...earlier] = selectDocuments(data.rows, invoice);
  if (newest === undefined)
    return <span className="hint">{data.isCut ? 'not among the newest' : 'not stored'}</span>;
  return (
    <>
      <a href={addressOf(newest)} download>
        Download<span className="visually-hidden"> the PDF of {number}</span>
      </a>{' '}
      <span className="hint">{formatBytes(newest.bytes)}</span>
      {earlier.length > 0 && (
        <details>
          <summary>Earlier versions</summary>
          {earlier.map((each) => (
            <p key={each.id}>
              <a href={addressOf(each)} download>
                stored <MarketTime at={each.storedAt} />
              </a>
            </p>
          ))}
        </details>
      )}
    </>
  );
}

const addressOf = ({ id }: DocumentRow): string => `/v1/documents/${encodeURIComponent(id)}/content`;
