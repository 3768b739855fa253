import { useListing } from '../../api/queries.js';
import type { BackfillRow } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { ErrorNote } from '../../ui/notes.js';
import { Section } from '../../ui/page.js';
import { Day, MarketTime } from '../../ui/values.js';

const TONES: Readonly<Record<BackfillRow['state'], Tone>> = {
  requested: 'info',
  running: 'info',
  paused: 'warning',
  done: 'good',
};

const COLUMNS: readonly Column<BackfillRow>[] = [
  { id: 'participant', header: 'Participant', cell: ({ participant }) => participant },
  {
    id: 'days',
    header: 'Days',
    cell: ({ from, to }) => (
      <span>
        <Day value={from} /> to <Day value={to} />
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: ({ state, dryRun, waitingFor }) => (
      <span>
        <Badge tone={TONES[state]}>{state}</Badge> {dryRun && <span className="hint">dry run </span>}
        {waitingFor !== undefined && <span className="hint">waits for {waitingFor}</span>}
      </span>
    ),
  },
  {
    id: 'steps',
    header: 'Steps',
    kind: 'number',
    cell: ({ stepsDone, stepsTotal }) => `${stepsDone} of ${stepsTotal ?? 'unknown'}`,
  },
  { id: 'events', header: 'Events', kind: 'number', cell: ({ events }) => events.toLocaleString('en-AU') },
  {
    id: 'failures',
    header: 'Failures',
    cell: ({ failureCount, failures }) =>
      failureCount === 0 ? (
        '0'
      ) : (
        <details className="operations-details">
          <summary>{countOf(failureCount, 'failure')}</summary>
          <ul>
            {failures.map(({ what, reason }) => (
              <li key={what}>
                {what}: {reason}
              </li>
            ))}
          </ul>
        </details>
      ),
  },
  { id: 'updatedAt', header: 'Updated', cell: ({ updatedAt }) => <MarketTime at={updatedAt} /> },
];

/** Backfills of past days; nothing is shown when there are none. */
export function BackfillSection() {
  const { rows, error, refetch, isCut, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useListing('/v1/backfills');
  if (error === null && rows.length === 0) return null;
  return (
    <Section title="Backfills">
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      <DataTable
        caption="Backfills of past days"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ participant }) => participant}
        empty="No backfill was requested."
        onMore={hasNextPage ? () => void fetchNextPage() : undefined}
        isCut={isCut}
        isReading={isFetchingNextPage}
      />
    </Section>
  );
}
