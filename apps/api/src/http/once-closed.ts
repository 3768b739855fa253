import type { ServerResponse } from 'node:http';
import { setMaxListeners } from 'node:events';

/**
 * Calls a function once: when the response has been sent, or when its connection is closed, which may be the case already. A response that
 * waits behind another one on its connection (pipelining) emits no `close` of its own.
 */
export function onceClosed(response: ServerResponse, onClosed: () => void): void {
  const { socket } = response.req;
  const close = (): void => {
    response.off('close', close);
    socket.off('close', close);
    onClosed();
  };
  if (isClosed(response)) {
    onClosed();
    return;
  }
  // Each response of a connection adds a listener.
  setMaxListeners(0, socket);
  response.once('close', close);
  socket.once('close', close);
}

/** Whether nothing more reaches the client. */
export const isClosed = (response: ServerResponse): boolean =>
  response.closed || response.destroyed || response.req.socket.destroyed;
