import type { InvoiceRow } from '../../api/operations.js';
import { useRead } from '../../api/queries.js';
import { Absent, MarketTime } from '../../ui/values.js';

/** The PDFs of an invoice, the newest first. */
export function InvoiceDocuments({ invoice }: { readonly invoice: InvoiceRow }) {
  const { number, participant, market, periodFrom, designation } = invoice;
  const { data, error } = useRead('/v1/documents', {
    query: { participant: [participant], ...(number !== undefined && { invoice: number }), limit: 20 },
    enabled: number !== undefined,
  });
  if (error) return <span className="hint">could not be read</span>;
  if (number !== undefined && data === undefined) return <span className="hint">…</span>;
  const [newest, ...earlier] =
    data?.items.filter(
      (each) => each.market === market && each.periodFrom === periodFrom && each.designation === designation,
    ) ?? [];
  if (newest === undefined)
    return number === undefined ? <Absent /> : <span className="hint">not stored</span>;
  return (
    <>
      <a href={addressOf(newest.id)} download>
        Download<span className="visually-hidden"> the PDF of {number}</span>
      </a>{' '}
      <span className="hint money-settle">{describeSize(newest.bytes)}</span>
      {earlier.length > 0 && (
        <details>
          <summary>Earlier versions</summary>
          {earlier.map(({ id, storedAt }) => (
            <p key={id}>
              <a href={addressOf(id)} download>
                stored <MarketTime at={storedAt} />
              </a>
            </p>
          ))}
        </details>
      )}
    </>
  );
}

const addressOf = (id: string): string => `/v1/documents/${encodeURIComponent(id)}/content`;

const describeSize = (bytes: number): string => `${Math.ceil(bytes / 1_000)} kB`;
