import { useLayoutEffect, useState, type RefObject } from 'react';

/** Whether the content of an element is wider than the element. */
export function useOverflow(element: RefObject<HTMLElement | null>): boolean {
  const [isWider, setIsWider] = useState(false);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = (): void => setIsWider(current.scrollWidth > current.clientWidth + 1);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    for (const child of current.children) observer.observe(child);
    return () => observer.disconnect();
  }, [element]);
  return isWider;
}
