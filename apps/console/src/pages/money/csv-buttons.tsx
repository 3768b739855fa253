import { useMutation } from '@tanstack/react-query';
import type { QueryOf } from '../../api/api-client.js';
import { downloadCsv } from '../../api/csv.js';
import { Button } from '../../ui/button.js';
import { ErrorNote } from '../../ui/notes.js';

type Query = Omit<QueryOf<'/v1/payments'>, 'limit' | 'cursor'>;

/** Saves the days, or their invoices, as CSV. */
export function CsvButtons({ query }: { readonly query: Query }) {
  const days = `${query.dueSince}-to-${query.dueUntil}`;
  const download = useMutation<void, Error, '/v1/payments' | '/v1/invoices'>({
    mutationFn: (path) =>
      path === '/v1/payments'
        ? downloadCsv(path, { ...query, limit: 100 }, `payments-${days}.csv`)
        : downloadCsv(path, { ...query, limit: 100 }, `invoices-${days}.csv`),
  });
  return (
    <>
      <div className="buttons">
        <Button disabled={download.isPending} onClick={() => download.mutate('/v1/payments')}>
          Days as CSV
        </Button>
        <Button disabled={download.isPending} onClick={() => download.mutate('/v1/invoices')}>
          Invoices as CSV
        </Button>
      </div>
      {download.error && <ErrorNote error={download.error} />}
    </>
  );
}
