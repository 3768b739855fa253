import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { get, type ApiError, type ListingPath, type QueryOf, type RowOf } from './api-client.js';
import { MAX_PAGES } from './max-pages.js';
import { REFRESH_MS } from './queries.js';
import { useLastError } from './use-last-error.js';

export interface WholeListing<Row> {
  readonly rows: readonly Row[];
  /** Whether rows are left out. */
  readonly isCut: boolean;
  readonly pageCount: number;
}

/** Reads all pages of a listing that has few rows. @throws ApiError */
export async function readWholeListing<P extends ListingPath>(
  path: P,
  signal: AbortSignal,
  query?: QueryOf<P>,
): Promise<WholeListing<RowOf<P>>> {
  const rows: RowOf<P>[] = [];
  let cursor: string | undefined;
  for (let pageCount = 1; pageCount <= MAX_PAGES; pageCount += 1) {
    const range = { ...query, ...(cursor !== undefined && { cursor }) } as QueryOf<P>;
    const page: { readonly items: readonly unknown[]; readonly next?: string } = await get(path, {
      query: range,
      signal,
    });
    rows.push(...(page.items as readonly RowOf<P>[]));
    if (page.next === undefined) return { rows, isCut: false, pageCount };
    cursor = page.next;
  }
  return { rows, isCut: true, pageCount: MAX_PAGES };
}

/** Reads all pages of a listing that has few rows, and again as long as the page shows it. */
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
  const result = useQuery<WholeListing<RowOf<P>>, ApiError>({
    queryKey: [path, {}, query ?? {}, 'whole'],
    queryFn: ({ signal }) => readWholeListing(path, signal, query),
    enabled,
    // The more pages, the less often.
    refetchInterval: ({ state }) => refetchInterval * (state.data?.pageCount ?? 1),
  });
  const error = useLastError(result);
  return error === result.error ? result : ({ ...result, error } as typeof result);
}
