import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { historyEntry } from './history-entry.js';
import type { EventList } from './event-list.js';
import { findEvent, type ListItem } from './list-items.js';
import { useShortcuts } from '../shortcuts.js';

interface Selection {
  /** Index of the row that the keyboard is on. */
  readonly selected: number;
  /** Moves the keyboard to the event at an index, or to the nearest one. */
  readonly select: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: (event: { readonly target: EventTarget }) => void;
}

const PAGE_ROWS = 10;

/** One row at a time takes part in the order of the Tab key; arrows move to the others. */
export function useSelection(
  list: EventList,
  items: readonly ListItem[],
  grid: RefObject<HTMLElement | null>,
  scrollTo: (index: number) => void,
): Selection {
  const [id, setId] = useState(list.selectedId);
  const wantsFocus = useRef(false);
  const found = id === undefined ? -1 : items.findIndex(({ key }) => key === id);
  const selected = found < 0 ? findEvent(items, 0, 1) : found;
  const remember = (key: string | undefined): void => {
    list.selectedId = key;
    setId(key);
  };
  const select = (index: number, step: 1 | -1 = 1): void => {
    const at = findEvent(items, index, step);
    if (at < 0) return;
    wantsFocus.current = true;
    remember(items[at]?.key);
    scrollTo(at);
  };
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    focusRow(grid.current);
  });
  useReturn(list, grid);
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => select(selected + 1),
    ArrowUp: () => select(selected - 1, -1),
    PageDown: () => select(selected + PAGE_ROWS),
    PageUp: () => select(selected - PAGE_ROWS, -1),
    Home: () => select(0),
    End: () => select(items.length - 1, -1),
  };
  useShortcuts({ j: () => select(selected + 1), k: () => select(selected - 1, -1) });
  return {
    selected,
    select,
    onKeyDown: (event) => {
      const move = moves[event.key];
      if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      move();
    },
    onFocus: ({ target }) => {
      const focused = (target as HTMLElement).dataset['id'];
      if (focused !== undefined && focused !== id) remember(focused);
    },
  };
}

function focusRow(grid: HTMLElement | null): void {
  grid?.querySelector<HTMLElement>('a[tabindex="0"]')?.focus({ preventScroll: true });
}

/** After the page of an event, the keyboard is on the row of that event again. */
function useReturn(list: EventList, grid: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (list.openedFrom === undefined || list.openedFrom !== historyEntry()) return;
    list.openedFrom = undefined;
    // The page moves the focus to its heading first.
    const frame = requestAnimationFrame(() => focusRow(grid.current));
    return () => cancelAnimationFrame(frame);
  }, [list, grid]);
}
