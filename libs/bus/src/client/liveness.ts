import type { WebSocket } from 'ws';

/**
 * Terminates a WebSocket whose peer is gone without a word: pings every `intervalMs`, and gives up when nothing at all came for
 * twice as long. A socket that we paused ourselves cannot be heard and is not judged, unless it does not take what we send either.
 * Ends with the socket.
 */
export function watchLiveness(socket: WebSocket, intervalMs: number): void {
  let heard = true;
  let missed = 0;
  const listen = (): void => {
    heard = true;
  };
  for (const event of ['message', 'pong', 'ping'] as const) socket.on(event, listen);
  const timer = setInterval(() => {
    const deaf = socket.isPaused && socket.bufferedAmount === 0;
    missed = heard || deaf ? 0 : missed + 1;
    heard = false;
    if (missed >= 2) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, intervalMs);
  socket.once('close', () => clearInterval(timer));
}
