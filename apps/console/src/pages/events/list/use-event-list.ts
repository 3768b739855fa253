import { useEffect, useRef, useSyncExternalStore } from 'react';
import { get } from '../../../api/api-client.js';
import { useLive, type LiveEvent } from '../../../api/live.js';
import { REFRESH_MS } from '../../../api/queries.js';
import { matchesFilter, toQuery, writeFilter, type EventFilter } from './event-filter.js';
import { EventList, type EventListState } from './event-list.js';
import { isReturnTo } from './history-entry.js';

type Subscribe = ReturnType<typeof useLive>['subscribe'];

interface KeptList {
  readonly list: EventList;
  readonly subscribe: Subscribe;
  /** Ends its subscription to the stream. */
  readonly unsubscribe: () => void;
}

/** Lists that a person may return to. */
const MAX_LISTS = 5;
const lists = new Map<string, KeptList>();

/** The stream has no heartbeats, so a list of them is read in the interval in which they come. */
const HEARTBEAT_MS = 60_000;

/** The list of a filter, the same as before when a person returns to it. It gets the events of the stream as long as it is kept. */
function findList(filter: EventFilter, subscribe: Subscribe): EventList {
  const key = JSON.stringify(writeFilter(filter));
  const found = lists.get(key);
  // Another person may have signed in since.
  const kept = found?.subscribe === subscribe ? found : createList(filter, subscribe);
  if (kept !== found) drop(key);
  lists.delete(key);
  lists.set(key, kept);
  for (const oldest of [...lists.keys()].slice(0, -MAX_LISTS)) drop(oldest);
  return kept.list;
}

function createList(filter: EventFilter, subscribe: Subscribe): KeptList {
  const query = toQuery(filter);
  const list = new EventList((cursor) =>
    get('/v1/events', { query: { ...query, ...(cursor !== undefined && { cursor }) } }),
  );
  const unsubscribe = subscribe(({ event: _, ...row }: LiveEvent) => {
    if (matchesFilter(filter, row)) list.add(row);
  });
  return { list, subscribe, unsubscribe };
}

function drop(key: string): void {
  lists.get(key)?.unsubscribe();
  lists.delete(key);
}

/** Reads the events of a filter, and keeps them current by the stream. */
export function useEventList(filter: EventFilter): {
  readonly list: EventList;
  readonly state: EventListState;
} {
  const list = findList(filter, useLive().subscribe);
  const state = useSyncExternalStore(list.subscribe, list.getState);
  useMissing(list);
  useInterval(list, filter);
  return { list, state };
}

/** Reads events that may be missing: when the list is shown, and when the stream begins to work. */
function useMissing(list: EventList): void {
  const { state, beginnings } = useLive();
  const isLive = state === 'live';
  const before = useRef<{ readonly list?: EventList; readonly isLive: boolean }>({ isLive });
  useEffect(() => {
    const last = before.current;
    before.current = { list, isLive };
    if (last.list !== list) {
      const isComplete = isLive && list.heardSince === beginnings;
      // The row to which a person returns may be far below page one.
      void (isComplete || isReturnTo(list) ? list.readNewest() : list.beginAgain());
    } else if (isLive && !last.isLive) void list.readAgain();
    if (isLive) list.heardSince = beginnings;
  }, [list, isLive, beginnings]);
}

/** Reads page one in an interval while the stream does not have its events. */
function useInterval(list: EventList, { types }: EventFilter): void {
  const isLive = useLive().state === 'live';
  const heartbeatMs = types.includes('bridge.heartbeat') ? HEARTBEAT_MS : undefined;
  const intervalMs = isLive ? heartbeatMs : REFRESH_MS;
  useEffect(() => {
    if (intervalMs === undefined) return;
    const timer = setInterval(() => void list.readNewest(), intervalMs);
    return () => clearInterval(timer);
  }, [list, intervalMs]);
}
