import { CLOSE_REFUSED, CLOSE_SUPERSEDED, CLOSE_TOO_SLOW, errorKind, type ErrorDetail } from '@ssb/bus';
import type { WebSocket } from 'ws';

const CLOSE_TIMEOUT_MS = 1_000;

/** Closes a WebSocket. A client that does not read never receives the close frame, so its connection is terminated after a time. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState === socket.CLOSED) return;
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Waits for replies to a client. A reply to a client that does not read would wait indefinitely, so its connection is terminated. */
export async function waitForReplies(socket: WebSocket, replies: Promise<void>): Promise<void> {
  const check = setInterval(() => {
    if (socket.bufferedAmount > 0) socket.terminate();
  }, CLOSE_TIMEOUT_MS);
  try {
    await replies;
  } finally {
    clearInterval(check);
  }
}

const CLOSE_CODES: Readonly<Partial<Record<string, readonly [code: number, reason: string]>>> = {
  SUPERSEDED: [CLOSE_SUPERSEDED, 'superseded'],
  TOO_SLOW: [CLOSE_TOO_SLOW, 'too slow'],
};

/** The close code and reason of an error that ends a connection. */
export function closeCodeOf({ code }: ErrorDetail): readonly [code: number, reason: string] {
  return CLOSE_CODES[errorKind(code) ?? ''] ?? [CLOSE_REFUSED, 'rights revoked'];
}
