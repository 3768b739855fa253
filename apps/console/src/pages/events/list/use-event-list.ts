import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { get } from '../../../api/api-client.js';
import { useLive, useLiveEvents, type LiveEvent } from '../../../api/live.js';
import { matchesFilter, toQuery, writeFilter, type EventFilter } from './event-filter.js';
import { EventList, type EventListState } from './event-list.js';

/** Lists that a person may return to. */
const MAX_LISTS = 5;
const lists = new Map<string, EventList>();

/** The stream has no heartbeats, so a list of them is read in the interval in which they come. */
const HEARTBEAT_MS = 60_000;

/** The list of a filter, the same as before when a person returns to it. */
function findList(filter: EventFilter): EventList {
  const key = JSON.stringify(writeFilter(filter));
  const query = toQuery(filter);
  const list =
    lists.get(key) ??
    new EventList((cursor) =>
      get('/v1/events', { query: { ...query, ...(cursor !== undefined && { cursor }) } }),
    );
  lists.delete(key);
  lists.set(key, list);
  for (const oldest of [...lists.keys()].slice(0, -MAX_LISTS)) lists.delete(oldest);
  return list;
}

/** Reads the events of a filter, and keeps them current by the stream. */
export function useEventList(filter: EventFilter): {
  readonly list: EventList;
  readonly state: EventListState;
} {
  const list = findList(filter);
  const state = useSyncExternalStore(list.subscribe, list.getState);
  const add = useCallback(
    ({ event: _, ...row }: LiveEvent) => {
      if (matchesFilter(filter, row)) list.add(row);
    },
    [filter, list],
  );
  useLiveEvents(add);
  useEffect(() => void list.readNewest(), [list]);
  useAfterLoss(() => void list.readNewest());
  useEffect(() => {
    if (!filter.types.includes('bridge.heartbeat')) return;
    const timer = setInterval(() => void list.readNewest(), HEARTBEAT_MS);
    return () => clearInterval(timer);
  }, [filter, list]);
  return { list, state };
}

/** Calls back when the stream works again: events may be missing. */
function useAfterLoss(onRestored: () => void): void {
  const { state } = useLive();
  const wasLost = useRef(false);
  useEffect(() => {
    if (state === 'disconnected') wasLost.current = true;
    if (state !== 'live' || !wasLost.current) return;
    wasLost.current = false;
    onRestored();
  });
}
