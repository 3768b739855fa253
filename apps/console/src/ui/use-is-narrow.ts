import { useSyncExternalStore } from 'react';

/** As in the style sheets. */
const NARROW = '(width < 40rem)';

function watch(onChange: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the window is as narrow as that of a telephone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(watch, () => matchMedia(NARROW).matches);
