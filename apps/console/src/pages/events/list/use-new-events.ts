import { useLayoutEffect, useRef, useState } from 'react';
import type { EventList } from './event-list.js';
import { findShift, type ListItem } from './list-items.js';

interface GridPlace {
  /** Pixels from the beginning of the document. */
  readonly top: number;
  /** Pixels of the window that the bars above the list cover. */
  readonly covered: number;
  readonly height: number;
  /** Pixels that the window is scrolled. Reading it from the window would compute the layout once more in each frame. */
  readonly offset: number;
}

interface NewEvents {
  /** Events that have arrived above what the reader sees. */
  readonly count: number;
  /** Scrolls to the first event. */
  readonly showNew: () => void;
}

/** Keeps what the reader sees where it is while events are added above it. At the first row they push the others down. */
export function useNewEvents(list: EventList, items: readonly ListItem[], place: GridPlace): NewEvents {
  const [count, setCount] = useState(0);
  const { top, covered, height, offset } = place;
  const before = useRef({ list, items });
  const isAtTop = offset + covered - top < height;
  useLayoutEffect(() => {
    list.isAtTop = isAtTop;
    if (isAtTop) setCount(0);
  }, [list, isAtTop]);
  useLayoutEffect(() => {
    const { list: lastList, items: lastItems } = before.current;
    before.current = { list, items };
    if (lastList !== list) return setCount(0);
    if (lastItems === items || list.isAtTop) return;
    const shift = findShift(lastItems, items, Math.floor((scrollY + covered - top) / height));
    if (shift.items <= 0) return;
    scrollBy({ top: shift.items * height, behavior: 'instant' });
    setCount((known) => known + Math.max(0, shift.events));
  }, [list, items, top, covered, height]);
  return { count, showNew: () => scrollTo({ top: 0, behavior: 'instant' }) };
}
