import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import {
  get,
  type ApiError,
  type GetPath,
  type ListingPath,
  type Parts,
  type QueryOf,
  type ResponseOf,
  type RowOf,
} from './api-client.js';
import { MAX_PAGES } from './max-pages.js';
import { isLong } from './refresh.js';
import { useLastError } from './use-last-error.js';

/** Data are read again in this time, also when no event announces a change. */
export const REFRESH_MS = 15_000;

interface Selection<P extends GetPath> {
  readonly query?: QueryOf<P> | undefined;
  readonly parts?: Parts | undefined;
}

export function readOptions<P extends GetPath>(path: P, { query, parts }: Selection<P> = {}) {
  return queryOptions<ResponseOf<P>, ApiError>({
    queryKey: [path, parts ?? {}, query ?? {}],
    queryFn: ({ signal }) => get(path, { ...(query && { query }), ...(parts && { parts }), signal }),
    refetchInterval: REFRESH_MS,
  });
}

/** Reads one address of the API, and again as long as the page shows it. */
export function useRead<P extends GetPath>(
  path: P,
  selection: Selection<P> & { readonly enabled?: boolean; readonly refetchInterval?: number } = {},
): UseQueryResult<ResponseOf<P>, ApiError> {
  const { enabled = true, refetchInterval = REFRESH_MS, ...rest } = selection;
  const result = useQuery({ ...readOptions(path, rest), enabled, refetchInterval });
  const error = useLastError(result);
  return error === result.error ? result : ({ ...result, error } as typeof result);
}

export function listOptions<P extends ListingPath>(path: P, { query, parts }: Selection<P> = {}) {
  return infiniteQueryOptions({
    queryKey: [path, parts ?? {}, query ?? {}, 'pages'],
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) =>
      get(path, {
        query: { ...query, ...(pageParam !== undefined && { cursor: pageParam }) },
        ...(parts && { parts }),
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last, pages): string | undefined =>
      pages.length < MAX_PAGES ? (last as { next?: string }).next : undefined,
  });
}

/**
 * Reads a listing page by page. `rows` has those of all pages read so far, and `isCut` says that no more are read although there are some. Only a
 * few pages are read again by themselves.
 */
export function useListing<P extends ListingPath>(
  path: P,
  selection: Selection<P> & { readonly enabled?: boolean; readonly refetchInterval?: number | false } = {},
) {
  const { enabled = true, refetchInterval = REFRESH_MS, ...rest } = selection;
  const result = useInfiniteQuery({
    ...listOptions(path, rest),
    enabled,
    refetchInterval: (query) => !isLong(query) && refetchInterval,
    refetchOnWindowFocus: (query) => !isLong(query),
  });
  const rows = result.data?.pages.flatMap(({ items }) => items as readonly RowOf<P>[]) ?? [];
  const last = result.data?.pages.at(-1) as { readonly next?: string } | undefined;
  const isCut = last?.next !== undefined && !result.hasNextPage;
  const error = useLastError({ ...result, error: result.error as ApiError | null });
  return { ...result, error, rows, isCut };
}
