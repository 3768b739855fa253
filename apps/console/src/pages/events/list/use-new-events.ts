import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { EventList } from './event-list.js';
import { findShift, type ListItem } from './list-items.js';

interface GridPlace {
  /** Pixels from the beginning of the document. */
  readonly top: number;
  /** Pixels of the window that the bars above the list cover. */
  readonly covered: number;
  readonly height: number;
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
  const { top, covered, height } = place;
  const before = useRef({ list, items });
  useLayoutEffect(() => {
    const { list: lastList, items: lastItems } = before.current;
    before.current = { list, items };
    if (lastList !== list) return setCount(0);
    const seen = Math.floor((scrollY + covered - top) / height);
    if (lastItems === items || seen < 1) return;
    const shift = findShift(lastItems, items, seen);
    if (shift.items <= 0) return;
    scrollBy({ top: shift.items * height, behavior: 'instant' });
    setCount((known) => known + Math.max(0, shift.events));
  }, [list, items, top, covered, height]);
  useEffect(() => {
    const follow = (): void => {
      list.isAtTop = scrollY + covered - top < height;
      if (list.isAtTop) setCount(0);
    };
    follow();
    addEventListener('scroll', follow, { passive: true });
    return () => removeEventListener('scroll', follow);
  }, [list, top, covered, height]);
  return { count, showNew: () => scrollTo({ top: 0, behavior: 'instant' }) };
}
