import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { openStream, TOO_MANY_STREAMS, type LiveEvent, type LiveState } from './event-source.js';
import { createRefresh, refreshAll } from './refresh.js';

export type { LiveEvent, LiveState } from './event-source.js';

type Listener = (event: LiveEvent) => void;

interface Live {
  readonly state: LiveState;
  /** The server refuses the stream until the person closes another tab. */
  readonly hasTooManyStreams: boolean;
  /** How often the stream began without an event to continue from. */
  readonly beginnings: number;
  /** @returns ends the subscription */
  readonly subscribe: (listener: Listener) => () => void;
  readonly watchSigns: (watcher: () => void) => () => void;
  /** Epoch milliseconds of the last sign of life, in whole seconds; zero before the first. */
  readonly getLastSign: () => number;
}

const LiveContext = createContext<Live>({
  state: 'connecting',
  hasTooManyStreams: false,
  beginnings: 0,
  subscribe: () => () => undefined,
  watchSigns: () => () => undefined,
  getLastSign: () => 0,
});

/** Receives events as they are archived, and reads again what they change. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  const [hasTooManyStreams, setHasTooManyStreams] = useState(false);
  const [beginnings, setBeginnings] = useState(0);
  const [hub] = useState(createHub);
  useEffect(() => {
    const refresh = createRefresh(client);
    let wasLost = false;
    const stop = openStream({
      onState: (now) => {
        setState(now);
        if (now === 'live') setHasTooManyStreams(false);
        // The stream may continue after events that nobody has received.
        if (now === 'live' && wasLost) void refreshAll(client);
        wasLost = now === 'disconnected';
      },
      onEvent: (event) => {
        refresh.note(event);
        hub.send(event);
      },
      onSign: hub.noteSign,
      onBegin: () => setBeginnings((count) => count + 1),
      onRefused: (status) => {
        setHasTooManyStreams(status === TOO_MANY_STREAMS);
        // The response about the caller says whether the session has ended.
        void client.invalidateQueries({ queryKey: ['/v1/caller'] }, { cancelRefetch: false });
      },
    });
    return () => {
      stop();
      refresh.stop();
    };
  }, [client, hub]);
  return <LiveContext value={{ ...hub, state, hasTooManyStreams, beginnings }}>{children}</LiveContext>;
}

export const useLive = (): Live => useContext(LiveContext);

/** Calls the listener for each event that is archived from now on. */
export function useLiveEvents(listener: Listener): void {
  const { subscribe } = useLive();
  useEffect(() => subscribe(listener), [subscribe, listener]);
}

/** For pages that live from the stream: when it showed its last sign of life, as `readAt` of the page. */
export function useLastSign(): number {
  const { watchSigns, getLastSign } = useLive();
  return useSyncExternalStore(watchSigns, getLastSign);
}

function createHub() {
  const listeners = new Set<Listener>();
  const watchers = new Set<() => void>();
  let lastSign = 0;
  return {
    subscribe: (listener: Listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    send: (event: LiveEvent) => {
      for (const listener of listeners) listener(event);
    },
    watchSigns: (watcher: () => void) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    noteSign: () => {
      lastSign = Math.floor(Date.now() / 1_000) * 1_000;
      for (const watcher of watchers) watcher();
    },
    getLastSign: () => lastSign,
  };
}
