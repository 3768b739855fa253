import { useListing } from '../../api/queries.js';
import { addDays, formatDay } from '../../format/market-time.js';
import { CsvButton } from '../../ui/csv-button.js';
import { ErrorNote, Loading, Note } from '../../ui/notes.js';
import { Page } from '../../ui/page.js';
import { Totals } from '../../ui/payment-totals.js';
import { useFilters } from '../../ui/use-filters.js';
import { useToday } from '../../ui/values.js';
import { FilterForm } from './filter-form.js';
import { readMoneyFilters, type MoneyFilters } from './money-filters.js';
import './money.css';
import { PaymentDays } from './payment-days.js';

/** The most rows that a page of a listing has. */
const MAX_ROWS = 100;

/** What is payable and receivable, by day. */
export function MoneyPage() {
  const [search, change] = useFilters();
  const today = useToday();
  const filters = readMoneyFilters(search, today);
  const { from, to } = filters;
  const isEmptyRange = from > to;
  const query = queryOf(filters);
  const payments = useListing('/v1/payments', {
    query: { ...query, limit: MAX_ROWS },
    enabled: !isEmptyRange,
  });
  const total = payments.data?.pages[0]?.total;
  return (
    <Page
      title="Money"
      intro={<FilterForm filters={filters} search={search} onChange={change} />}
      readAt={payments.dataUpdatedAt}
    >
      {isEmptyRange && (
        <Note kind="warning">The first day is after the last day. Choose an earlier one.</Note>
      )}
      {payments.error && <ErrorNote error={payments.error} onRetry={() => void payments.refetch()} />}
      {total === undefined ? (
        payments.isLoading && <Loading what="the payments" />
      ) : (
        <section className="section" aria-label="Payable and receivable by day">
          <div className="section-header">
            <h2>
              Due from {formatDay(from)} to {formatDay(to)}
            </h2>
            <div className="buttons">
              <CsvButton
                label="Days as CSV"
                path="/v1/payments"
                query={{ ...query, limit: MAX_ROWS }}
                fileName={`payments-${from}-to-${to}.csv`}
              />
              <CsvButton
                label="Invoices as CSV"
                path="/v1/invoices"
                query={{ ...query, limit: MAX_ROWS }}
                fileName={`invoices-${from}-to-${to}.csv`}
              />
            </div>
          </div>
          <Totals total={total} />
          <PaymentDays
            days={payments.rows}
            total={total}
            filters={filters}
            onOpen={(day) => change({ day })}
            onMore={payments.hasNextPage ? () => void payments.fetchNextPage() : undefined}
            isReading={payments.isFetchingNextPage}
          />
          {from < today && <p className="hint">Whether an invoice was paid is not known to the bridge.</p>}
        </section>
      )}
    </Page>
  );
}

/** What is requested from the API. */
const queryOf = ({ from, to, participant, market }: MoneyFilters) => ({
  dueSince: from,
  dueUntil: addDays(to, 1),
  ...(participant !== undefined && { participant: [participant] }),
  ...(market !== undefined && { market: [market] }),
});
