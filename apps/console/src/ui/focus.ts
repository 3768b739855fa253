import { useEffect, useRef, type RefObject } from 'react';

/** For when the element that has the focus goes away: the keyboard continues at the title of the page. */
export function focusHeading(): void {
  document.querySelector('h1')?.focus({ preventScroll: true });
}

/** Gives an element the focus each time a result appears in it. The element needs a tabIndex of -1. */
export function useFocusOnResult<Element extends HTMLElement>(result: unknown): RefObject<Element | null> {
  const element = useRef<Element>(null);
  useEffect(() => {
    if (result !== undefined) element.current?.focus();
  }, [result]);
  return element;
}
