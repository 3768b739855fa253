import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/** How often idle connections are closed during the shutdown of a server. */
const CLOSE_INTERVAL_MS = 50;

/**
 * Ends a closing server as soon as its last response is sent; Node waits for clients that keep a connection open. It must be called
 * before the routes are registered.
 */
export function closeConnectionsOnShutdown(adapter: FastifyAdapter): void {
  const http = adapter.getHttpServer<Server>();
  const unused = trackUnusedConnections(http);
  let closing = false;
  const fastify = adapter.getInstance();
  // Announces the end of the connection (RFC 9112 §9.6).
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done(null, payload);
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    if (http.listening) {
      const timer = setInterval(() => {
        unused.close();
        http.closeIdleConnections();
      }, CLOSE_INTERVAL_MS);
      http.once('close', () => clearInterval(timer));
    }
    done();
  });
}

/** The open connections without a request so far. Node's `closeIdleConnections` leaves them open. */
function trackUnusedConnections(http: Server): { close(): void } {
  const unused = new Set<Duplex>();
  const track = <T extends Duplex>(connections: Set<T>, socket: T): void => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  };
  // Below TLS a connection is unused until its handshake has begun.
  const tcpSockets = new Set<Socket>();
  const overTls = http instanceof TlsServer;
  if (overTls) http.on('connection', (socket: Socket) => track(tcpSockets, socket));
  http.on(overTls ? 'secureConnection' : 'connection', (socket: Duplex) => track(unused, socket));
  http.on('request', ({ socket }) => unused.delete(socket));
  // Added only beside another upgrade listener: with none at all, Node ignores the offer of an upgrade.
  http.on('newListener', function onFirstUpgradeListener(event) {
    if (event !== 'upgrade') return;
    http.off('newListener', onFirstUpgradeListener);
    http.prependListener('upgrade', (_request, socket) => unused.delete(socket));
  });
  return {
    close: () => {
      for (const socket of unused) socket.destroy();
      for (const socket of tcpSockets) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
