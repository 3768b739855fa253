import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Filters } from '../format/search-values.js';

/** @returns the filters of the address, and changes some of them; an empty one is removed */
export function useFilters(): readonly [Filters, (changes: Filters) => void] {
  const filters = useSearch({ strict: false }) as Filters;
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Filters) =>
      void navigate({
        to: '.',
        search: (before: Filters) =>
          Object.fromEntries(
            Object.entries({ ...before, ...changes }).filter(
              ([, value]) => value !== undefined && value !== '',
            ),
          ),
        resetScroll: false,
      }),
    [navigate],
  );
  return [filters, change];
}
