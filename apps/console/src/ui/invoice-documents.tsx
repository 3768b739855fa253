import { useQuery } from '@tanstack/react-query';
import type { QueryOf } from '../api/api-client.js';
import type { InvoiceRow } from '../api/operations.js';
import { readOptions } from '../api/queries.js';
import { formatBytes } from '../format/bytes.js';
import { Absent, MarketTime } from './values.js';

type Market = NonNullable<QueryOf<'/v1/documents'>['market']>[number];

/** An event announces each new document, so that they are seldom read without one. */
const REFRESH_MS = 60_000;
const MAX_DOCUMENTS = 20;

interface InvoiceDocumentsProps {
  readonly invoice: Pick<InvoiceRow, 'number' | 'participant' | 'market' | 'periodFrom' | 'designation'>;
}

/** The PDFs of an invoice, the newest first. Another participant or run can have the same number. */
export function InvoiceDocuments({ invoice }: InvoiceDocumentsProps) {
  const { number, participant, market, periodFrom, designation } = invoice;
  const { data, error } = useQuery({
    ...readOptions('/v1/documents', {
      query: {
        participant: [participant],
        market: [market as Market],
        ...(number !== undefined && { invoice: number }),
        limit: MAX_DOCUMENTS,
      },
    }),
    enabled: number !== undefined,
    refetchInterval: REFRESH_MS,
  });
  if (number === undefined) return <Absent />;
  if (data === undefined) return <span className="hint">{error ? 'could not be read' : '…'}</span>;
  const [newest, ...earlier] = data.items.filter(
    (each) => each.periodFrom === periodFrom && each.designation === designation,
  );
  if (newest === undefined) return <span className="hint">not stored</span>;
  return (
    <>
      <a href={addressOf(newest.id)} download>
        Download<span className="visually-hidden"> the PDF of {number}</span>
      </a>{' '}
      <span className="hint">{formatBytes(newest.bytes)}</span>
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
