import { Link } from '@tanstack/react-router';
import { useListing } from '../../api/queries.js';
import type { AuditRow } from '../../api/operations.js';
import { marketDayOf } from '../../format/market-time.js';
import { withoutFilters } from '../../format/search-values.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { CsvButton } from '../../ui/csv-button.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { FilterBar, SelectFilter, TextFilter } from '../../ui/filter-bar.js';
import { useFilters } from '../../ui/use-filters.js';
import { ErrorNote, Loading } from '../../ui/notes.js';
import { Section } from '../../ui/page.js';
import { Absent, MarketTime } from '../../ui/values.js';
import { FILTER_NAMES, readAuditFilters } from './audit-filters.js';
import { describeKind, foldActions, KINDS, type AuditedAction } from './audited-actions.js';
import { describeMembers } from './describe-members.js';
import { ForAllParticipants, OperationsFrame } from './operations-frame.js';

/** Rows that the API gives at once. */
const PAGE_SIZE = 100;

/** Who requested what, when, and how it ended. */
export function AuditPage() {
  return (
    <ForAllParticipants title="Audit log">
      <AuditLog />
    </ForAllParticipants>
  );
}

function AuditLog() {
  const [filters, change] = useFilters();
  const { query, faults, isFiltered } = readAuditFilters(filters);
  const records = useListing('/v1/audit', { query });
  const { rows, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = records;
  const clear = (): void => change(withoutFilters(FILTER_NAMES));
  return (
    <OperationsFrame title="Audit log" readAt={records.dataUpdatedAt}>
      <FilterBar faults={faults} onClear={isFiltered ? clear : undefined}>
        <SelectFilter
          label="What"
          value={filters['kind']}
          onChange={(value) => change({ kind: value })}
          options={[
            { value: '', label: 'Everything' },
            ...KINDS.map((value) => ({ value, label: describeKind(value) })),
          ]}
        />
        <TextFilter label="Who" value={filters['author']} onChange={(value) => change({ author: value })} />
        <TextFilter
          label="Since"
          type="date"
          value={marketDayOf(filters['since'] ?? '')}
          onChange={(value) => change({ since: value })}
        />
      </FilterBar>
      <Section
        title="Actions, the newest first"
        aside={
          rows.length > 0 && (
            <CsvButton path="/v1/audit" query={{ ...query, limit: PAGE_SIZE }} fileName="audit-log.csv" />
          )
        }
      >
        {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {isPending && <Loading what="the audit log" />}
        {records.data && (
          <DataTable
            caption="Actions of people, the newest first"
            columns={COLUMNS}
            rows={foldActions(rows)}
            rowKey={({ key }) => key}
            empty={isFiltered ? 'No record matches the filters.' : 'Nobody has requested anything yet.'}
            onMore={hasNextPage ? () => void fetchNextPage() : undefined}
            isCut={records.isCut}
            isReading={isFetchingNextPage}
          />
        )}
      </Section>
    </OperationsFrame>
  );
}

const TONES: Readonly<Record<AuditRow['step'], Tone>> = {
  requested: 'info',
  done: 'good',
  refused: 'warning',
  failed: 'critical',
  unknown: 'warning',
};

const COLUMNS: readonly Column<AuditedAction>[] = [
  {
    id: 'at',
    header: 'When',
    cell: ({ first, last }) => (
      <span className="operations-pair">
        <MarketTime at={first.at} />
        {last !== first && (
          <span className="hint">
            ended <MarketTime at={last.at} short />
          </span>
        )}
      </span>
    ),
  },
  { id: 'author', header: 'Who', cell: ({ first }) => first.author },
  {
    id: 'kind',
    header: 'What',
    cell: ({ last }) => (
      <span className="operations-pair">
        <span>{describeKind(last.kind)}</span>
        <span className="hint">{describeMembers(last.parameters)}</span>
        <Subject record={last} />
      </span>
    ),
  },
  {
    id: 'step',
    header: 'Result',
    cell: ({ last: { step, result } }) => (
      <span className="operations-pair">
        <span>
          <Badge tone={TONES[step]}>{step}</Badge>
        </span>
        {result && <span className="hint">{describeMembers(result)}</span>}
      </span>
    ),
  },
  { id: 'comment', header: 'Comment', cell: ({ comment }) => comment ?? <Absent /> },
  { id: 'details', header: 'Ids', cell: ({ last }) => <Ids record={last} /> },
];

/** The page of what it was about. */
function Subject({ record: { parameters } }: { readonly record: AuditRow }) {
  const { problemId, silenceId } = parameters;
  if (typeof problemId === 'string')
    return (
      <Link to="/problems/$id" params={{ id: problemId }}>
        The problem
      </Link>
    );
  return typeof silenceId === 'string' ? <Link to="/silences">Silences</Link> : null;
}

function Ids({ record: { requestId, actionId, databaseRole } }: { readonly record: AuditRow }) {
  return (
    <details className="operations-details">
      <summary>Show</summary>
      {requestId !== undefined && (
        <>
          request <code>{requestId}</code>{' '}
        </>
      )}
      {actionId !== undefined && (
        <>
          action <code>{actionId}</code>{' '}
        </>
      )}
      <span className="hint">database role {databaseRole}</span>
    </details>
  );
}
