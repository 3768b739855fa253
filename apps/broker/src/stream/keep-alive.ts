import type { WebSocket } from 'ws';

/** Pings every `intervalMs` and cuts off a peer that gave no sign of life for two of them; ends with the socket. */
export function keepAlive(socket: WebSocket, intervalMs: number): void {
  let silent = 0;
  const heard = (): void => {
    silent = 0;
  };
  for (const event of ['message', 'ping', 'pong'] as const) socket.on(event, heard);
  const timer = setInterval(() => {
    if (silent >= 2) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
    silent += 1;
  }, intervalMs);
  socket.once('close', () => clearInterval(timer));
}
