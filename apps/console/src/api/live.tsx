import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { affectedPaths } from './affected-paths.js';
import type { EventRow } from './operations.js';

/** `live`: events arrive. `connecting`: for the first time. `disconnected`: the stream was lost, and is opened again. */
export type LiveState = 'connecting' | 'live' | 'disconnected';

export type LiveEvent = EventRow & { readonly event: Readonly<Record<string, unknown>> };

type Listener = (event: LiveEvent) => void;

interface Live {
  readonly state: LiveState;
  /** @returns ends the subscription */
  readonly subscribe: (listener: Listener) => () => void;
}

const LiveContext = createContext<Live>({ state: 'connecting', subscribe: () => () => undefined });

/** The browser opens a lost stream again by itself, except after a response that was an error. */
const RETRY_MS = 5_000;
/** Events that arrive together cause one reading. */
const COLLECT_MS = 100;
/** While many events arrive, what the page shows is read again at most this often. */
const MIN_INTERVAL_MS = 2_000;
/** The same for warnings and critical events, which a person sees within a second. */
const MIN_URGENT_INTERVAL_MS = 500;

/** Receives events as they are archived, and reads again what they change. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  const [listeners] = useState(() => new Set<Listener>());
  useEffect(() => {
    const refresh = createRefresh(client);
    const stop = openStream(
      setState,
      (event) => {
        refresh.note(event);
        for (const listener of listeners) listener(event);
      },
      () => void client.invalidateQueries({ queryKey: ['/v1/caller'] }),
    );
    return () => {
      stop();
      refresh.stop();
    };
  }, [client, listeners]);
  const [live] = useState(() => ({
    subscribe: (listener: Listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  }));
  return <LiveContext value={{ ...live, state }}>{children}</LiveContext>;
}

export const useLive = (): Live => useContext(LiveContext);

/** Calls the listener for each event that is archived from now on. */
export function useLiveEvents(listener: Listener): void {
  const { subscribe } = useLive();
  useEffect(() => subscribe(listener), [subscribe, listener]);
}

/** @returns closes the stream */
function openStream(
  onState: (state: LiveState) => void,
  onEvent: Listener,
  onRefused: () => void,
): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastId = '';
  const open = (): void => {
    // A new EventSource does not know the last id, so the address has it.
    source = new EventSource(`/v1/events/stream${lastId && `?after=${encodeURIComponent(lastId)}`}`);
    source.addEventListener('open', () => onState('live'));
    source.addEventListener('message', (message: MessageEvent<string>) => {
      lastId = message.lastEventId;
      onEvent(JSON.parse(message.data) as LiveEvent);
    });
    source.addEventListener('error', () => {
      onState('disconnected');
      if (source.readyState !== EventSource.CLOSED) return;
      // The response was an error; that of the caller says whether the session has ended.
      onRefused();
      timer = setTimeout(open, RETRY_MS);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}

/** Marks what an event changes as out of date, for queries that the page shows. */
function createRefresh(client: QueryClient): { note: (event: EventRow) => void; stop: () => void } {
  let paths = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Infinity;
  let refreshedAt = -MIN_INTERVAL_MS;
  const refresh = (): void => {
    dueAt = Infinity;
    refreshedAt = performance.now();
    const affected = paths;
    paths = new Set();
    void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => affected.has(String(path)) });
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
