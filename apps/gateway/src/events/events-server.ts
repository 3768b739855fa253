import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { EVENTS_PATH } from '@ssb/bus';
import { refuseUpgrade, SETTINGS } from '@ssb/platform';
import { WebSocketServer, type WebSocket } from 'ws';
import { readEventsMode, type EventsMode } from './events-query.js';
import { GatewayFailure, invalidRequest, unauthenticated } from '../http/gateway-exception.js';
import { headersOf } from '../http/error-responses.js';
import { BODY_LIMIT, type Settings } from '../settings.js';
import type { User } from '../users/user-directory.js';
import { Users } from '../users/user-auth.service.js';
import type { EventsClient } from './events-client.js';
import { EventsClients } from './events-clients.js';

const noHandshake = (reason: string): GatewayFailure =>
  invalidRequest(`This is no WebSocket handshake of RFC 6455: ${reason}.`);

function refuse(socket: Duplex, failure: GatewayFailure): void {
  refuseUpgrade(socket, { status: failure.status, body: failure.body(), headers: headersOf(failure) });
}

interface Admission {
  readonly user: User;
  readonly mode: EventsMode;
}

/** The WebSocket `/events`: who may connect, and stay. */
@Injectable()
export class EventsServer implements OnApplicationBootstrap {
  private readonly server;
  private readonly served = new Map<EventsClient, User>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
    private readonly clients: EventsClients,
    private readonly users: Users,
  ) {
    const { EVENTS_PROTOCOL } = settings;
    users.onChange(() => this.dismiss());
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: BODY_LIMIT,
      handleProtocols: (offered) => (offered.has(EVENTS_PROTOCOL) ? EVENTS_PROTOCOL : false),
    });
  }

  onApplicationBootstrap(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (request, socket, head) => {
      if (wantsWebSocket(request)) this.upgrade(request, socket, head);
      else passOnUpgrade(server, request, socket, head);
    });
    // What is no handshake of RFC 6455 §4.2.1.
    this.server.on('wsClientError', ({ message }, socket) => refuse(socket, noHandshake(message)));
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // A peer that is gone before the answer is no failure of ours.
    socket.on('error', () => socket.destroy());
    this.admit(request).then(
      (decision) => {
        if (decision instanceof GatewayFailure) return refuse(socket, decision);
        this.server.handleUpgrade(request, socket, head, (opened) => this.serve(opened, decision));
      },
      () => socket.destroy(),
    );
  }

  private serve(socket: WebSocket, { user, mode }: Admission): void {
    const client = this.clients.serve(socket, mode);
    this.served.set(client, user);
    // Not before what it sent is passed on: its user may be dismissed until then.
    socket.once('close', () => void client.finished().then(() => this.served.delete(client)));
  }

  /** Whoever would not be let in any more goes: a connection may last for months. */
  private dismiss(): void {
    for (const [client, user] of this.served) {
      if (!this.users.stillMay(user, 'messages')) client.end(unauthenticated().body().err);
    }
  }

  private async admit(request: IncomingMessage): Promise<Admission | GatewayFailure> {
    const { EVENTS_PROTOCOL } = this.settings;
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    if (path !== EVENTS_PATH)
      return new GatewayFailure(404, 'REQ::NOT_FOUND', `The WebSocket is at ${EVENTS_PATH}.`);
    const { remoteAddress = '' } = request.socket;
    const refusal = await this.users.admit(request.headers.authorization, remoteAddress, 'messages');
    if (refusal !== undefined) return refusal;
    if (this.clients.closing) return new GatewayFailure(503, 'BUS::UNHEALTHY', 'The gateway is stopping.');
    if (this.clients.full) {
      return new GatewayFailure(503, 'BUS::UNHEALTHY', 'The gateway serves as many WebSockets as it may.');
    }
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
    if (offered && !offered.includes(EVENTS_PROTOCOL)) {
      return invalidRequest(`The sub-protocol of this WebSocket is ${EVENTS_PROTOCOL}.`);
    }
    const verdict = readEventsMode(new URLSearchParams(query));
    if (!verdict.ok) return invalidRequest(verdict.reason);
    const user = this.users.admitted(request.headers.authorization);
    return user === undefined ? unauthenticated() : { user, mode: verdict.mode };
  }
}

/** Headers of one connection that speak of its upgrade (RFC 9110 §7.6.1 and §7.8; HTTP2-Settings is that of RFC 7540 §3.2.1). */
const OF_THE_UPGRADE: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings']);

/** Whether a request wants a WebSocket, perhaps among other protocols. */
function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '').split(',').some((name) => name.trim().toLowerCase() === 'websocket');
}

/**
 * Serves a request that offers an upgrade which the gateway does not know as if it had not: RFC 9110 §7.8 lets a server ignore the
 * offer, and some clients offer h2c with every first request. Node has taken such a connection from the HTTP server; it is handed back
 * with the request written down again.
 */
function passOnUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!OF_THE_UPGRADE.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1] ?? ''}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
