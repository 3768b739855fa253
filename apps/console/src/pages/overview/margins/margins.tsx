import { useMemo } from 'react';
import type { ParticipantPosition, ProblemRow } from '../../../api/operations.js';
import { Choices } from '../../../ui/choices.js';
import { DataTable, type Column } from '../../../ui/data-table.js';
import { Empty } from '../../../ui/notes.js';
import { Amount } from '../../../ui/values.js';
import { MarginCard } from './margin-card.js';
import './margins.css';
import { CalculationAge, Level, OutlookBadge, useOutlook } from './margin-words.js';
import { sortPositions, splitPositions } from './order-positions.js';
import { RANGES, type Range } from './ranges.js';

/** Up to so many cards are large. */
const MAX_LARGE = 2;

interface MarginsProps {
  readonly positions: readonly ParticipantPosition[];
  readonly problems: readonly ProblemRow[];
  readonly range: Range;
}

/** The margins of all participants: the worst as cards, the others as rows. */
export function Margins({ positions, problems, range }: MarginsProps) {
  const { cards, rows } = splitPositions(sortPositions(positions));
  const stale = useMemo(
    () =>
      new Map(
        problems
          .filter(({ kind }) => kind === 'position-stale')
          .map(({ participant, since }) => [participant, since]),
      ),
    [problems],
  );
  if (positions.length === 0) return <Empty>No margin has been calculated yet.</Empty>;
  return (
    <>
      <div className={cards.length > MAX_LARGE ? 'overview-cards overview-cards-small' : 'overview-cards'}>
        {cards.map((position) => (
          <MarginCard
            key={position.participant}
            position={position}
            range={range}
            staleSince={stale.get(position.participant)}
          />
        ))}
      </div>
      {rows.length > 0 && (
        <section className="section" aria-label="Other participants">
          <h3>Other participants</h3>
          <DataTable
            caption="Margins of the other participants, the worst first"
            columns={columnsOf(stale)}
            rows={rows}
            rowKey={({ participant }) => participant}
            empty=""
          />
        </section>
      )}
    </>
  );
}

const RowOutlook = ({ position }: { readonly position: ParticipantPosition }) => (
  <OutlookBadge outlook={useOutlook(position)} />
);

const columnsOf = (stale: ReadonlyMap<string, string>): readonly Column<ParticipantPosition>[] => [
  { id: 'participant', header: 'Participant', cell: ({ participant }) => <strong>{participant}</strong> },
  { id: 'level', header: 'Level', cell: ({ latest }) => <Level value={latest?.level} /> },
  {
    id: 'margin',
    header: 'Margin',
    kind: 'number',
    cell: ({ latest }) => <Amount value={latest?.tradingMargin} />,
  },
  {
    id: 'warning',
    header: 'Above warning',
    kind: 'number',
    cell: ({ latest }) => <Amount value={latest?.thresholds?.headroomToWarning} />,
  },
  {
    id: 'breach',
    header: 'Above breach',
    kind: 'number',
    cell: ({ latest }) => <Amount value={latest?.thresholds?.headroomToBreach} />,
  },
  { id: 'outlook', header: 'Forecast', cell: (position) => <RowOutlook position={position} /> },
  {
    id: 'age',
    header: 'Calculated',
    cell: ({ participant, latest }) => <CalculationAge latest={latest} staleSince={stale.get(participant)} />,
  },
];

/** How far back the charts go. */
export function RangeChoice({ range }: { readonly range: Range }) {
  return (
    <Choices
      label="Time that the charts show"
      choices={RANGES.map(({ name, label }) => ({
        label,
        isChosen: name === range.name,
        search: { range: name },
      }))}
    />
  );
}
