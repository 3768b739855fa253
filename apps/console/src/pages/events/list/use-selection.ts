import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { isReturnTo } from './history-entry.js';
import type { EventList } from './event-list.js';
import { findEvent, type ListItem } from './list-items.js';
import { useShortcuts } from '../shortcuts.js';

interface Selection {
  /** Index of the row that the keyboard is on. */
  readonly selected: number;
  /** Moves the keyboard to the first event. */
  readonly selectFirst: () => void;
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
  /** @returns index of the event */
  const focus = (index: number, step: 1 | -1): number => {
    const at = findEvent(items, index, step);
    wantsFocus.current = at >= 0;
    if (at >= 0) remember(items[at]?.key);
    return at;
  };
  const select = (index: number, step: 1 | -1 = 1): void => {
    const at = focus(index, step);
    if (at >= 0) scrollTo(at);
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
  const isInGrid = (): boolean => grid.current?.contains(document.activeElement) === true;
  useShortcuts({
    j: () => select(isInGrid() ? selected + 1 : selected),
    k: () => select(isInGrid() ? selected - 1 : selected, -1),
  });
  return {
    selected,
    selectFirst: () => void focus(0, 1),
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
    if (!isReturnTo(list)) return;
    // The page moves the focus to its heading first.
    const frame = requestAnimationFrame(() => {
      list.openedFrom = undefined;
      focusRow(grid.current);
    });
    return () => cancelAnimationFrame(frame);
  }, [list, grid]);
}
