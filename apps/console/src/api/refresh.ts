import type { QueryClient } from '@tanstack/react-query';
import { affectedPaths } from './affected-paths.js';
import type { EventRow } from './operations.js';

/** Events that arrive together cause one reading. */
const COLLECT_MS = 100;
/** While many events arrive, what the page shows is read again at most this often. */
const MIN_INTERVAL_MS = 2_000;
/** The same for warnings and critical events, which a person sees within a second. */
const MIN_URGENT_INTERVAL_MS = 500;

/** A listing of more pages is not read again at each event. */
const MAX_REFRESHED_PAGES = 3;

/** Whether the data of a query are a listing of many pages. */
export function isLong({ state: { data } }: { readonly state: { readonly data: unknown } }): boolean {
  const { pages, pageCount } = (data ?? {}) as { readonly pages?: unknown; readonly pageCount?: unknown };
  return Number(Array.isArray(pages) ? pages.length : (pageCount ?? 0)) > MAX_REFRESHED_PAGES;
}

interface Refreshed {
  /** Keys of queries, which begin with a path of the API. */
  readonly wants: (path: string) => boolean;
  readonly includesLong?: boolean;
}

/** Reads again what the page shows. A reading that has begun before ends first, and is then repeated once. */
export async function refreshQueries(
  client: QueryClient,
  { wants, includesLong = false }: Refreshed,
): Promise<void> {
  const cache = client.getQueryCache();
  const chosen = new Set(
    cache.findAll({
      predicate: (query) => wants(String(query.queryKey[0])) && (includesLong || !isLong(query)),
    }),
  );
  const running = new Set([...chosen].filter(({ state }) => state.fetchStatus === 'fetching'));
  await client.invalidateQueries({ predicate: (query) => chosen.has(query) }, { cancelRefetch: false });
  if (running.size === 0) return;
  await client.refetchQueries(
    { predicate: (query) => running.has(query), type: 'active' },
    { cancelRefetch: false },
  );
}

/** Reads again everything that the API says and the page shows, except requests, which are followed by themselves. */
export function refreshAll(client: QueryClient, includesLong = false): Promise<void> {
  const wants = (path: string): boolean => path.startsWith('/v1/') && path !== '/v1/requests/{id}';
  return refreshQueries(client, { wants, includesLong });
}

/** Marks what an event changes as out of date, for queries that the page shows. */
export function createRefresh(client: QueryClient): {
  readonly note: (event: Pick<EventRow, 'type' | 'severity'>) => void;
  readonly stop: () => void;
} {
  let paths = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Infinity;
  let refreshedAt = -MIN_INTERVAL_MS;
  const refresh = (): void => {
    dueAt = Infinity;
    refreshedAt = performance.now();
    const affected = paths;
    paths = new Set();
    void refreshQueries(client, { wants: (path) => affected.has(path) });
  };
  return {
    note: ({ type, severity }) => {
      for (const path of affectedPaths(type)) paths.add(path);
      const intervalMs = severity === 'info' ? MIN_INTERVAL_MS : MIN_URGENT_INTERVAL_MS;
      const now = performance.now();
      const wantedAt = Math.max(now + COLLECT_MS, refreshedAt + intervalMs);
      if (paths.size === 0 || wantedAt >= dueAt) return;
      clearTimeout(timer);
      dueAt = wantedAt;
      timer = setTimeout(refresh, wantedAt - now);
    },
    stop: () => clearTimeout(timer),
  };
}
