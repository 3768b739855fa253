import { ApiError, request } from './api-client.js';
import type { EventRow } from './operations.js';

/** `live`: events arrive. `connecting`: for the first time. `disconnected`: the stream was lost, and is opened again. */
export type LiveState = 'connecting' | 'live' | 'disconnected';

export type LiveEvent = EventRow & { readonly event: Readonly<Record<string, unknown>> };

interface StreamListeners {
  readonly onState: (state: LiveState) => void;
  readonly onEvent: (event: LiveEvent) => void;
  /** Something has arrived. */
  readonly onSign: () => void;
  /** The stream begins now: events before may be missing. */
  readonly onBegin: () => void;
  /** The response was an error. @param status undefined when it is not known */
  readonly onRefused: (status: number | undefined) => void;
}

/** The browser opens a lost stream again by itself, except after a response that was an error. */
const RETRY_MS = 5_000;
/** The person has too many streams until one of their tabs is closed. */
export const TOO_MANY_STREAMS = 429;
const TOO_MANY_RETRY_MS = 15_000;
/** The API sends an event `alive` every 15 s. */
const MAX_SILENCE_MS = 45_000;
/** After so many refusals the stream begins now: the last event may have been deleted. */
const MAX_REFUSALS = 3;

/** @returns closes the stream */
export function openStream({ onState, onEvent, onSign, onBegin, onRefused }: StreamListeners): () => void {
  let source: EventSource;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let lastId = '';
  let refusals = 0;
  const end = new AbortController();
  const watch = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      // A connection whose other end has vanished reports no error.
      source.close();
      onState('disconnected');
      open();
    }, MAX_SILENCE_MS);
  };
  const note = ({ lastEventId }: { readonly lastEventId?: string }): void => {
    lastId = lastEventId || lastId;
    watch();
    onSign();
  };
  const open = (): void => {
    // A new EventSource does not know the last id, so the address has it.
    source = new EventSource(`/v1/events/stream${lastId && `?after=${encodeURIComponent(lastId)}`}`);
    watch();
    source.addEventListener('open', () => {
      refusals = 0;
      if (lastId === '') onBegin();
      note({});
      onState('live');
    });
    source.addEventListener('alive', note);
    source.addEventListener('message', (message: MessageEvent<string>) => {
      note(message);
      onEvent(JSON.parse(message.data) as LiveEvent);
    });
    source.addEventListener('error', () => {
      onState('disconnected');
      if (source.readyState !== EventSource.CLOSED) return;
      clearTimeout(silence);
      refusals += 1;
      if (refusals >= MAX_REFUSALS) lastId = '';
      void readStatus(end.signal).then((status) => {
        if (end.signal.aborted) return;
        onRefused(status);
        retry = setTimeout(open, status === TOO_MANY_STREAMS ? TOO_MANY_RETRY_MS : RETRY_MS);
      });
    });
  };
  open();
  return () => {
    end.abort();
    clearTimeout(retry);
    clearTimeout(silence);
    source.close();
  };
}

/** An EventSource does not say why it was refused, so the stream is requested once more and ended at once. */
async function readStatus(end: AbortSignal): Promise<number | undefined> {
  const signal = AbortSignal.any([end, AbortSignal.timeout(RETRY_MS)]);
  try {
    return await request('/v1/events/stream', { signal }, async ({ status, body }) => {
      await body?.cancel();
      return status;
    });
  } catch (error) {
    return error instanceof ApiError ? error.status : undefined;
  }
}
