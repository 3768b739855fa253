import { memo } from 'react';
import type { EventRow } from '../../../api/operations.js';
import { describeType } from '../../../format/event-type.js';
import { Severity } from '../../../ui/badge.js';
import { Amount, MarketTime } from '../../../ui/values.js';
import { describeSubject } from '../describe-subject.js';
import type { ListItem } from './list-items.js';
import { rowFigureOf } from './row-figure.js';

interface ItemProps {
  readonly item: ListItem;
  /** In the grid, from 2: the first row has the headings. */
  readonly rowIndex: number;
  /** Pixels from the beginning of the list; undefined on paper. */
  readonly top: number | undefined;
  readonly isSelected: boolean;
}

/** A heading of a day, or an event. */
export const Item = memo(function Item({ item, rowIndex, top, isSelected }: ItemProps) {
  const style = top === undefined ? {} : { transform: `translateY(${top}px)` };
  if (item.kind === 'day')
    return (
      <div role="row" aria-rowindex={rowIndex} className="events-item events-day" style={style}>
        <span role="gridcell" aria-colspan={6}>
          {item.day}
        </span>
      </div>
    );
  return (
    <div
      role="row"
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      className={`events-item events-row events-row-${item.row.severity}`}
      style={style}
    >
      <Cells row={item.row} isSelected={isSelected} />
    </div>
  );
});

function Cells({ row, isSelected }: { readonly row: EventRow; readonly isSelected: boolean }) {
  const { id, type, participant, subject, severity, time, marks } = row;
  return (
    <>
      <span role="gridcell" className="events-time">
        <MarketTime at={time} short />
      </span>
      <span role="gridcell" className="events-type">
        <a href={`/events/${id}`} data-id={id} tabIndex={isSelected ? 0 : -1}>
          {describeType(type)}
        </a>
        {marks.map((mark) => (
          <span key={mark} className="events-mark">{` · ${MARKS[mark]}`}</span>
        ))}
      </span>
      <span
        role="gridcell"
        className={severity === 'info' ? 'events-severity events-info' : 'events-severity'}
      >
        {severity === 'info' ? severity : <Severity value={severity} />}
      </span>
      <span role="gridcell" className="events-participant">
        {participant === '*' ? 'all' : participant}
      </span>
      <span role="gridcell" className="events-subject" title={subject}>
        {describeSubject(subject, participant)}
      </span>
      <FigureCell row={row} />
    </>
  );
}

function FigureCell({ row }: { readonly row: EventRow }) {
  const { words, amount, more } = rowFigureOf(row);
  return (
    <span role="gridcell" className="events-figure">
      {words !== undefined && <span className="events-figure-words">{`${words} `}</span>}
      {amount !== undefined && <Amount value={amount} />}
      {more !== undefined && <span className="events-figure-more">{` ${more}`}</span>}
    </span>
  );
}

/** What a reader must know besides the event; its page explains them. */
const MARKS: Readonly<Record<EventRow['marks'][number], string>> = {
  late: 'late',
  clockSkew: 'clocks differ',
  local: 'not signed',
};
