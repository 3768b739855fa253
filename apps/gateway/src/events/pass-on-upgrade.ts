import type { IncomingMessage, Server } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import type { Duplex } from 'node:stream';

/** Headers of one connection that speak of its upgrade (RFC 9110 §7.6.1 and §7.8; HTTP2-Settings is that of RFC 7540 §3.2.1). */
const OF_THE_UPGRADE: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings']);

/** Whether a request wants a WebSocket, perhaps among other protocols. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '').split(',').some((name) => name.trim().toLowerCase() === 'websocket');
}

/**
 * Serves a request that offers an upgrade which the gateway does not know as if it had not: RFC 9110 §7.8 lets a server ignore the
 * offer, and some clients offer h2c with every first request. Node has taken such a connection from the HTTP server; it is handed back
 * with the request written down again.
 */
export function passOnUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!OF_THE_UPGRADE.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1] ?? ''}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
