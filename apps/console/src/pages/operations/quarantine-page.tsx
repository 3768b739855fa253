import { Link } from '@tanstack/react-router';
import { useListing } from '../../api/queries.js';
import type { QuarantineRow } from '../../api/operations.js';
import { formatBytes } from '../../format/bytes.js';
import { withoutFilters } from '../../format/search-values.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { FilterBar, SelectFilter, TextFilter, type Option } from '../../ui/filter-bar.js';
import { useFilters } from '../../ui/use-filters.js';
import { ErrorNote, Loading } from '../../ui/notes.js';
import { Section } from '../../ui/page.js';
import { MarketTime } from '../../ui/values.js';
import { ForAllParticipants, OperationsFrame } from './operations-frame.js';
import { FILTER_NAMES, readQuarantineFilters } from './quarantine-filters.js';
import { explainReason, KNOWN_REASONS } from './quarantine-reasons.js';
import { Recheck } from './recheck.js';

const STATES: readonly Option[] = [
  { value: '', label: 'Open' },
  { value: 'released', label: 'Released later' },
  { value: 'open,released', label: 'All' },
];
const REASONS: readonly Option[] = [
  { value: '', label: 'All reasons' },
  ...KNOWN_REASONS.map((value) => ({ value, label: value })),
];

/** Messages that failed verification. */
export function QuarantinePage() {
  return (
    <ForAllParticipants title="Quarantine">
      <Quarantine />
    </ForAllParticipants>
  );
}

function Quarantine() {
  const [filters, change] = useFilters();
  const { query, faults, isFiltered } = readQuarantineFilters(filters);
  const messages = useListing('/v1/quarantine', { query });
  const { rows, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = messages;
  const clear = (): void => change(withoutFilters(FILTER_NAMES));
  return (
    <OperationsFrame
      title="Quarantine"
      readAt={messages.dataUpdatedAt}
      intro={
        <p className="hint">
          Messages that failed verification. Nothing in them is verified, and nobody was alerted about them.
        </p>
      }
    >
      <FilterBar faults={faults} onClear={isFiltered ? clear : undefined}>
        <SelectFilter
          label="State"
          value={filters['state']}
          onChange={(state) => change({ state })}
          options={STATES}
        />
        <SelectFilter
          label="Reason"
          value={filters['reason']}
          onChange={(reason) => change({ reason })}
          options={REASONS}
        />
        <TextFilter label="Channel" value={filters['channel']} onChange={(channel) => change({ channel })} />
      </FilterBar>
      <Recheck />
      <Section title={isFiltered ? 'Matching messages' : 'Open messages, the newest first'}>
        {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {isPending && <Loading what="the quarantine" />}
        {messages.data && (
          <DataTable
            caption="Quarantined messages, the newest first"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            empty={isFiltered ? 'No message matches the filters.' : 'No message is in quarantine.'}
            onMore={hasNextPage ? () => void fetchNextPage() : undefined}
            isCut={messages.isCut}
            isReading={isFetchingNextPage}
          />
        )}
      </Section>
    </OperationsFrame>
  );
}

const COLUMNS: readonly Column<QuarantineRow>[] = [
  {
    id: 'quarantinedAt',
    header: 'Quarantined',
    cell: ({ quarantinedAt, id, state }) => (
      <span className="operations-pair">
        <Link to="/operations/quarantine/$id" params={{ id }}>
          <MarketTime at={quarantinedAt} />
        </Link>
        {state === 'released' && (
          <span>
            <Badge tone="muted">released</Badge>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ reason, detail }) => (
      <span className="operations-pair">
        <span>
          <code>{reason}</code>
        </span>
        <span>{explainReason(reason).meaning}</span>
        <span className="hint">{detail}</span>
      </span>
    ),
  },
  {
    id: 'trusted',
    header: 'Signer',
    cell: ({ trusted }) => (
      <Badge tone={trusted ? 'warning' : 'muted'}>{trusted ? 'trusted' : 'unknown'}</Badge>
    ),
  },
  {
    id: 'channel',
    header: 'Channel and topic',
    cell: ({ channel, topic }) => (
      <details className="operations-details">
        <summary>{channel.split('.')[0]}</summary>
        <code>{channel}</code> <span className="hint">{topic}</span>
      </details>
    ),
  },
  { id: 'size', header: 'Size', kind: 'number', cell: ({ payloadBytes }) => formatBytes(payloadBytes) },
];
