import { Link } from '@tanstack/react-router';
import { useListing } from '../../api/queries.js';
import { CHOICES, type QuarantineRow } from '../../api/operations.js';
import { formatBytes } from '../../format/bytes.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { SelectFilter, TextFilter } from '../../ui/filter-bar.js';
import { useFilters } from '../../ui/use-filters.js';
import { ErrorNote, Loading } from '../../ui/notes.js';
import { Section } from '../../ui/page.js';
import { MarketTime } from '../../ui/values.js';
import { ForAllParticipants, OperationsFrame } from './operations-frame.js';
import { explainReason, KNOWN_REASONS } from './quarantine-reasons.js';
import { Recheck } from './recheck.js';

const STATES = CHOICES['/v1/quarantine'].state;

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
  const state = STATES.find((each) => each === filters['state']) ?? 'open';
  const reason = KNOWN_REASONS.find((each) => each === filters['reason']);
  const { channel } = filters;
  const messages = useListing('/v1/quarantine', {
    query: {
      state: [state],
      ...(reason !== undefined && { reason: [reason] }),
      ...(channel !== undefined && { channel: [channel] }),
    },
  });
  const { rows, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = messages;
  const isFiltered = reason !== undefined || channel !== undefined;
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
      <div className="filters">
        <SelectFilter
          label="State"
          value={state}
          onChange={(value) => change({ state: value === 'open' ? undefined : value })}
          options={[
            { value: 'open', label: 'Open' },
            { value: 'released', label: 'Released later' },
          ]}
        />
        <SelectFilter
          label="Reason"
          value={reason ?? ''}
          onChange={(value) => change({ reason: value })}
          options={[
            { value: '', label: 'All reasons' },
            ...KNOWN_REASONS.map((value) => ({ value, label: value })),
          ]}
        />
        <TextFilter label="Channel" value={channel ?? ''} onChange={(value) => change({ channel: value })} />
        <Recheck />
      </div>
      <Section title={state === 'open' ? 'Open messages, the newest first' : 'Released messages'}>
        {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {isPending && <Loading what="the quarantine" />}
        {messages.data && (
          <DataTable
            caption="Quarantined messages, the newest first"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            empty={
              isFiltered
                ? 'No message matches these filters.'
                : state === 'open'
                  ? 'The quarantine is empty: every message passed verification.'
                  : 'No message was released.'
            }
            onMore={hasNextPage ? () => void fetchNextPage() : undefined}
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
    cell: ({ quarantinedAt, id }) => (
      <Link to="/operations/quarantine/$id" params={{ id }}>
        <MarketTime at={quarantinedAt} />
      </Link>
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
