import type { RawData, WebSocket } from 'ws';

/**
 * Pings every `intervalMs` and terminates the socket after two intervals without a frame. Ignores a socket that this
 * process paused, as long as its send buffer is empty.
 */
export function watchLiveness(socket: WebSocket, intervalMs: number): void {
  let received = true;
  let missed = 0;
  const onFrame = (): void => {
    received = true;
  };
  for (const event of ['message', 'pong', 'ping'] as const) socket.on(event, onFrame);
  const timer = setInterval(() => {
    const isPausedHere = socket.isPaused && socket.bufferedAmount === 0;
    missed = received || isPausedHere ? 0 : missed + 1;
    received = false;
    if (missed >= 2) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, intervalMs);
  socket.once('close', () => clearInterval(timer));
}

/** The text of a WebSocket frame, in any of the three forms of `ws`. */
export function frameText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8');
}
