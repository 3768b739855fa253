import { useEffect, useLayoutEffect, useState, type RefObject } from 'react';

/** Below this width a row has two lines. */
const NARROW = '(width < 72rem)';
const WALL_DISPLAY = '(width >= 150rem)';

const ROW_REM = 2.75;
const NARROW_ROW_REM = 4.25;

/** The height of each row in pixels, as events.css has it in rem. */
export function useRowHeight(): number {
  const [height, setHeight] = useState(readRowHeight);
  useEffect(() => {
    const queries = [matchMedia(NARROW), matchMedia(WALL_DISPLAY)];
    const measure = (): void => setHeight(readRowHeight());
    for (const query of queries) query.addEventListener('change', measure);
    return () => {
      for (const query of queries) query.removeEventListener('change', measure);
    };
  }, []);
  return height;
}

function readRowHeight(): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.round(rem * (matchMedia(NARROW).matches ? NARROW_ROW_REM : ROW_REM));
}

/** Where a list begins in the document, and how much of the window the bars above it cover, in pixels. */
export interface ListPlace {
  readonly top: number;
  readonly covered: number;
}

/** Measures the place of a list again when the content above it changes. */
export function useListPlace(
  list: RefObject<HTMLElement | null>,
  above: RefObject<HTMLElement | null>,
): ListPlace {
  const [place, setPlace] = useState<ListPlace>({ top: 0, covered: 0 });
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = Math.round((list.current?.getBoundingClientRect().top ?? 0) + scrollY);
      const covered = Math.round(document.querySelector('.top-bar')?.getBoundingClientRect().height ?? 0);
      setPlace((before) => (before.top === top && before.covered === covered ? before : { top, covered }));
    };
    const observer = new ResizeObserver(measure);
    for (const element of [
      above.current,
      document.querySelector('.shell > nav'),
      document.querySelector('.top-bar'),
    ])
      if (element) observer.observe(element);
    addEventListener('resize', measure);
    measure();
    return () => {
      observer.disconnect();
      removeEventListener('resize', measure);
    };
  }, [list, above]);
  return place;
}
