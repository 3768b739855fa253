import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { get, type ApiError, type ListingPath, type QueryOf, type RowOf } from './api-client.js';
import { REFRESH_MS } from './queries.js';

export interface AllRows<Row> {
  readonly rows: readonly Row[];
  /** Whether there are more than were read. */
  readonly isPart: boolean;
}

/** Rows of a page of the API. */
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** Reads all pages of a listing, up to 1,000 rows, for views that need them together. */
export function useAllRows<P extends ListingPath>(
  path: P,
  query: Omit<QueryOf<P>, 'limit' | 'cursor'>,
  { enabled = true }: { readonly enabled?: boolean } = {},
): UseQueryResult<AllRows<RowOf<P>>, ApiError> {
  return useQuery<AllRows<RowOf<P>>, ApiError>({
    queryKey: [path, {}, query, 'all'],
    enabled,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const rows: RowOf<P>[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const response = await get(path, {
          query: { ...query, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) },
          signal,
        });
        const { items, next } = response as { items: readonly RowOf<P>[]; next?: string };
        rows.push(...items);
        cursor = next;
        if (cursor === undefined) break;
      }
      return { rows, isPart: cursor !== undefined };
    },
  });
}
