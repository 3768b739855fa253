import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { get, type ApiError, type ListingPath, type QueryOf, type RowOf } from './api-client.js';
import { REFRESH_MS } from './queries.js';

/** So that a listing without an end does not occupy the browser. */
const MAX_PAGES = 50;

export interface WholeListing<Row> {
  readonly rows: readonly Row[];
  /** Whether rows are left out. */
  readonly isCut: boolean;
}

/** Reads all pages of a listing that has few rows. */
export function useWholeListing<P extends ListingPath>(
  path: P,
  {
    query,
    enabled = true,
    refetchInterval = REFRESH_MS,
  }: {
    readonly query?: QueryOf<P>;
    readonly enabled?: boolean;
    readonly refetchInterval?: number;
  } = {},
): UseQueryResult<WholeListing<RowOf<P>>, ApiError> {
  return useQuery<WholeListing<RowOf<P>>, ApiError>({
    queryKey: [path, {}, query ?? {}, 'whole'],
    queryFn: async ({ signal }) => {
      const rows: RowOf<P>[] = [];
      let cursor: string | undefined;
      for (let count = 0; count < MAX_PAGES; count += 1) {
        const range = { ...query, ...(cursor !== undefined && { cursor }) } as QueryOf<P>;
        const page: { readonly items: readonly unknown[]; readonly next?: string } = await get(path, {
          query: range,
          signal,
        });
        rows.push(...(page.items as readonly RowOf<P>[]));
        if (page.next === undefined) return { rows, isCut: false };
        cursor = page.next;
      }
      return { rows, isCut: true };
    },
    enabled,
    refetchInterval,
  });
}
