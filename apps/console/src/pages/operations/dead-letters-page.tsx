import { useState } from 'react';
import { useListing } from '../../api/queries.js';
import type { DeadLetterRow } from '../../api/operations.js';
import { describeType } from '../../format/event-type.js';
import { useMayAct } from '../../session/caller.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { useFilters } from '../../ui/use-filters.js';
import { useFocusOnResult } from '../../ui/focus.js';
import { ErrorNote, Loading, Note } from '../../ui/notes.js';
import { Section } from '../../ui/page.js';
import { MarketTime } from '../../ui/values.js';
import { DeadLetterDialog } from './dead-letter-dialog.js';
import { ForAllParticipants, OperationsFrame } from './operations-frame.js';
import { RetryPage } from './retry-page.js';

/** Events that could not be published. */
export function DeadLettersPage() {
  return (
    <ForAllParticipants title="Dead letters">
      <DeadLetters />
    </ForAllParticipants>
  );
}

function DeadLetters() {
  const letters = useListing('/v1/dead-letters');
  const { rows, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = letters;
  const [{ letter }, change] = useFilters();
  const mayAct = useMayAct();
  const [result, setResult] = useState<string>();
  const message = useFocusOnResult<HTMLDivElement>(result);
  const open = (id: string): void => change({ letter: id });
  return (
    <OperationsFrame
      title="Dead letters"
      readAt={letters.dataUpdatedAt}
      intro={
        <p className="hint">
          Events that could not be published. Correct the reason, then retry them. Those whose cause can end
          by itself are retried by the bridge.
        </p>
      }
    >
      <div ref={message} tabIndex={-1}>
        {result !== undefined && <Note kind="info">{result}</Note>}
      </div>
      {!mayAct && <p className="hint">Only operators retry and remove them.</p>}
      {mayAct && <RetryPage hasLetters={rows.length > 0} />}
      <Section title="Waiting, the oldest first">
        {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {isPending && <Loading what="the dead letters" />}
        {letters.data && (
          <DataTable
            caption="Dead letters, the oldest first"
            columns={columns(open)}
            rows={rows}
            rowKey={({ id }) => id}
            empty="There are no dead letters."
            onMore={hasNextPage ? () => void fetchNextPage() : undefined}
            isCut={letters.isCut}
            isReading={isFetchingNextPage}
          />
        )}
      </Section>
      {letter !== undefined && (
        <DeadLetterDialog
          id={letter}
          mayAct={mayAct}
          onClose={() => change({ letter: undefined })}
          onDone={(text) => {
            setResult(text);
            change({ letter: undefined });
          }}
        />
      )}
    </OperationsFrame>
  );
}

const columns = (open: (id: string) => void): readonly Column<DeadLetterRow>[] => [
  {
    id: 'deadLetteredAt',
    header: 'Since',
    cell: ({ deadLetteredAt, retriedAt }) => (
      <span className="operations-pair">
        <MarketTime at={deadLetteredAt} />
        {retriedAt !== undefined && (
          <span className="hint">
            retried <MarketTime at={retriedAt} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'event',
    header: 'Event',
    cell: ({ type, subject, participant, verified }) => (
      <span className="operations-pair">
        <span>{type === undefined ? 'unknown type' : describeType(type)}</span>
        <span className="hint">{subject ?? participant}</span>
        {!verified && (
          <span>
            <Badge tone="critical">unverified</Badge>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ reason, cause }) => (
      <span className="operations-pair">
        <span>{reason}</span>
        {cause !== undefined && <span className="hint">is retried by itself: {cause}</span>}
      </span>
    ),
  },
  {
    id: 'open',
    header: 'More',
    cell: ({ id, subject }) => (
      <Button onClick={() => open(id)}>
        Show<span className="visually-hidden"> the event {subject ?? id}</span>
      </Button>
    ),
  },
];
