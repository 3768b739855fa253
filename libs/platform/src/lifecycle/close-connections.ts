import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/** How often connections are looked at while a server closes, milliseconds. */
const LOOK_MS = 50;

/**
 * Lets a server that closes end as soon as its last answer is given. Node closes the connections that are idle at that moment alone: those
 * with a request under way then are kept alive after it, and those that have not asked for anything yet stay open, and either holds the
 * close up for as long as the client likes. Requests that come meanwhile on a connection that is still open are served, and their
 * answers say that it closes (RFC 9112 §9.6). To be called before the routes are made.
 */
export function closeConnectionsInTheEnd(adapter: FastifyAdapter): void {
  const http = adapter.getHttpServer<Server>();
  const silent = silentConnections(http);
  let closing = false;
  const fastify = adapter.getInstance();
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done(null, payload);
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    const look = (): void => {
      silent.end();
      http.closeIdleConnections();
    };
    if (http.listening) {
      const looking = setInterval(look, LOOK_MS);
      http.once('close', () => clearInterval(looking));
    }
    done();
  });
}

/** The open connections on which no request has come yet; Node's `closeIdleConnections` does not count them as idle. */
function silentConnections(http: Server): { end(): void } {
  const silent = new Set<Duplex>();
  const note = <T extends Duplex>(connections: Set<T>, socket: T): void => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  };
  // Below TLS: these carry a request only once a handshake has come.
  const wires = new Set<Socket>();
  const overTls = http instanceof TlsServer;
  if (overTls) http.on('connection', (socket: Socket) => note(wires, socket));
  http.on(overTls ? 'secureConnection' : 'connection', (socket: Duplex) => note(silent, socket));
  http.on('request', ({ socket }) => silent.delete(socket));
  // Only where somebody takes upgrades: Node passes over the offer of one as long as nobody listens for it.
  http.on('newListener', function beforeTheFirst(event) {
    if (event !== 'upgrade') return;
    http.off('newListener', beforeTheFirst);
    http.prependListener('upgrade', (_request, socket) => silent.delete(socket));
  });
  return {
    end: () => {
      for (const socket of silent) socket.destroy();
      for (const socket of wires) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
