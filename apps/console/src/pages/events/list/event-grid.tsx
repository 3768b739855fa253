import { useNavigate } from '@tanstack/react-router';
import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, type RefObject } from 'react';
import { readOwnClock } from '../../../format/market-time.js';
import { Button } from '../../../ui/button.js';
import type { EventList, EventListState } from './event-list.js';
import { historyEntry } from './history-entry.js';
import { Item } from './event-row.js';
import { toItems } from './list-items.js';
import { useListPlace, useRowHeight } from './use-layout.js';
import { useNewEvents } from './use-new-events.js';
import { usePrinting } from '../../../ui/use-printing.js';
import { useSelection } from './use-selection.js';

interface EventGridProps {
  readonly list: EventList;
  readonly state: EventListState;
  /** The content above the grid. */
  readonly above: RefObject<HTMLElement | null>;
}

const OVERSCAN = 8;
/** The next page is read when so many rows are left. */
const READ_AHEAD = 40;
/** A printer gets the first rows. */
const MAX_PRINTED = 200;
const HEADINGS = ['Time', 'What happened', 'Severity', 'Participant', 'About', 'Figures'];

/** The events, of which only those near the window are in the document. */
export function EventGrid({ list, state: { rows, hasMore, isReadingMore, error }, above }: EventGridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const items = useMemo(() => toItems(rows), [rows]);
  const height = useRowHeight();
  const place = useListPlace(body, above);
  const { selected, selectFirst, onKeyDown, onFocus } = useSelection(list, items, grid, (index) =>
    virtualizer.scrollToIndex(index, { align: 'auto' }),
  );
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: place.top,
    scrollPaddingStart: place.covered + height,
    getItemKey: (index) => items[index]?.key ?? index,
    // The row that has the focus stays in the document.
    rangeExtractor: (range: Range) => {
      const shown = defaultRangeExtractor(range);
      return selected < 0 || shown.includes(selected) ? shown : [...shown, selected].sort((a, b) => a - b);
    },
  });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, height]);
  const { count, showNew } = useNewEvents(list, items, {
    ...place,
    height,
    offset: virtualizer.scrollOffset ?? 0,
  });
  const last = virtualizer.range?.endIndex ?? 0;
  useLayoutEffect(() => {
    if (hasMore && !isReadingMore && last >= items.length - READ_AHEAD) void list.readMore();
  }, [list, hasMore, isReadingMore, error, last, items.length]);
  const navigate = useNavigate();
  const isPrinting = usePrinting();
  const shown = isPrinting
    ? items.slice(0, MAX_PRINTED).map((_, index) => ({ index, start: undefined }))
    : virtualizer.getVirtualItems().map(({ index, start }) => ({ index, start: start - place.top }));
  return (
    <>
      {count > 0 && (
        <Button
          kind="primary"
          className="events-new"
          onClick={() => {
            showNew();
            selectFirst();
          }}
        >
          ↑ {count} new
        </Button>
      )}
      <div
        ref={grid}
        role="grid"
        aria-label="Events, the newest first"
        aria-rowcount={hasMore ? -1 : items.length + 1}
        aria-colcount={HEADINGS.length}
        className={readOwnClock(0) === undefined ? 'events-grid' : 'events-grid events-two-clocks'}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onClick={(event) => {
          const id = idOfLink(event.target);
          if (id === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          list.openedFrom = historyEntry();
          void navigate({ to: '/events/$id', params: { id } });
        }}
      >
        <div role="row" aria-rowindex={1} className="events-headings">
          {HEADINGS.map((heading) => (
            <span key={heading} role="columnheader">
              {heading}
            </span>
          ))}
        </div>
        <div
          ref={body}
          role="rowgroup"
          className="events-body"
          style={isPrinting ? {} : { height: virtualizer.getTotalSize() }}
        >
          {shown.map(({ index, start }) => {
            const item = items[index];
            return (
              item && (
                <Item
                  key={item.key}
                  item={item}
                  rowIndex={index + 2}
                  top={start}
                  isSelected={index === selected}
                />
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

const idOfLink = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('a[data-id]')?.dataset['id'] : undefined;
