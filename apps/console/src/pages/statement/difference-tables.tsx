import { Link } from '@tanstack/react-router';
import type { Parts } from '../../api/api-client.js';
import type { ComparedVersion, DifferenceRow, DifferencesPage, TotalChange } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { CsvButton } from '../../ui/csv-button.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { Amount, Day, Difference, MarketTime } from '../../ui/values.js';
import { SIDES } from './select-variables.js';

/** Rows that the API gives at once. */
const PAGE_SIZE = 1_000;

type NamedTotal = TotalChange & { readonly name: string };

const TOTALS: readonly Column<NamedTotal>[] = [
  { id: 'name', header: 'Sum of all variables, AUD', cell: ({ name }) => name },
  { id: 'before', header: 'Before', kind: 'number', cell: ({ before }) => <Amount value={before} /> },
  { id: 'after', header: 'After', kind: 'number', cell: ({ after }) => <Amount value={after} /> },
  {
    id: 'difference',
    header: 'Difference',
    kind: 'number',
    cell: ({ difference }) => <Difference value={difference} />,
  },
];

const DIFFERENCES: readonly Column<DifferenceRow>[] = [
  { id: 'tradingDay', header: 'Trading day', cell: ({ tradingDay }) => <Day value={tradingDay} /> },
  {
    id: 'variable',
    header: 'Variable',
    cell: ({ variable, pOrC }) => (
      <span className="statement-pair">
        {variable} <span className="hint">{SIDES[pOrC] ?? pOrC}</span>
      </span>
    ),
  },
  { id: 'before', header: 'Before', kind: 'number', cell: ({ before }) => <Amount value={before} /> },
  { id: 'after', header: 'After', kind: 'number', cell: ({ after }) => <Amount value={after} /> },
  {
    id: 'difference',
    header: 'Difference',
    kind: 'number',
    cell: ({ difference }) => <Difference value={difference} />,
  },
  {
    id: 'share',
    header: 'Share of all changes',
    kind: 'number',
    cell: ({ share }) => <Share value={share} />,
  },
];

/** Of the sum of all absolute differences. */
function Share({ value }: { readonly value: string }) {
  return (
    <span className="statement-share">
      {value} %
      <span className="statement-share-bar" aria-hidden="true">
        <span style={{ inlineSize: `${Math.min(100, Number(value))}%` }} />
      </span>
    </span>
  );
}

interface DifferenceTablesProps {
  /** The first page, which has the sums. */
  readonly page: DifferencesPage;
  readonly rows: readonly DifferenceRow[];
  readonly onMore: (() => void) | undefined;
  readonly isReading: boolean;
  readonly isCut: boolean;
  readonly csv: { readonly parts: Parts; readonly query: object; readonly fileName: string };
}

export function DifferenceTables({ page, rows, onMore, isReading, isCut, csv }: DifferenceTablesProps) {
  const { before, after, count, totals } = page;
  return (
    <>
      <Section title="Before and after">
        <div className="statement-compared">
          <Version label="Before" version={before} />
          <Version label="After" version={after} />
        </div>
        <DataTable
          caption="Sums before and after"
          columns={TOTALS}
          rows={[
            { name: 'Payments to the participant', ...totals.payment },
            { name: 'Charges to the participant', ...totals.charge },
            { name: 'Net, payments minus charges', ...totals.net },
          ]}
          rowKey={({ name }) => name}
          empty=""
        />
        <p className="hint">
          In AUD. A difference with + is more in the version after: more paid to the participant, or more
          charged to it.
        </p>
      </Section>
      <Section
        title={`${countOf(count, 'difference')}, the largest first`}
        aside={
          count > 0 && (
            <CsvButton
              path="/v1/statements/{id}/differences"
              parts={csv.parts}
              query={{ ...csv.query, limit: PAGE_SIZE }}
              fileName={csv.fileName}
            />
          )
        }
      >
        <DataTable
          caption="Differences of variables"
          columns={DIFFERENCES}
          rows={rows}
          rowKey={({ tradingDay, variable, pOrC, gstApplicable }) =>
            [tradingDay, variable, pOrC, gstApplicable].join(' ')
          }
          empty="No variable differs."
          onMore={onMore}
          isReading={isReading}
          isCut={isCut}
        />
      </Section>
    </>
  );
}

function Version({ label, version }: { readonly label: string; readonly version: ComparedVersion }) {
  return (
    <p>
      <span className="hint">{label}: </span>
      <Link to="/statements/$id" params={{ id: version.statementId }}>
        {version.designation}
      </Link>
      , published <MarketTime at={version.publishedAt} />,{' '}
      <Link to="/events/$id" params={{ id: version.eventId }}>
        event
      </Link>
    </p>
  );
}
