import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { EVENTS_PATH } from '@ssb/bus';
import { refuseUpgrade, SETTINGS } from '@ssb/platform';
import { WebSocketServer, type WebSocket } from 'ws';
import { getErrorHeaders } from '../http/error-responses.js';
import {
  foreignOrigin,
  GatewayException,
  invalidRequest,
  unauthenticated,
} from '../http/gateway-exception.js';
import { isFromAllowedOrigin } from '../http/request-origin.js';
import { BODY_LIMIT, type Settings } from '../settings.js';
import { UserAuthService } from '../users/user-auth.service.js';
import type { AuthenticatedUser } from '../users/user-directory.js';
import type { EventsConnection } from './events-connection.js';
import { EventsConnections } from './events-connections.js';
import { parseEventsQuery, type EventsOptions } from './events-query.js';

interface Admission {
  readonly user: AuthenticatedUser;
  readonly options: EventsOptions;
}

/** The WebSocket server at `/events`: decides which clients may connect and stay connected. */
@Injectable()
export class EventsServer implements OnApplicationBootstrap {
  private readonly server;
  private readonly users = new Map<EventsConnection, AuthenticatedUser>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
    private readonly connections: EventsConnections,
    private readonly userAuth: UserAuthService,
  ) {
    const { EVENTS_PROTOCOL } = settings;
    userAuth.onChange(() => this.endRevokedClients());
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: BODY_LIMIT,
      handleProtocols: (offered) => (offered.has(EVENTS_PROTOCOL) ? EVENTS_PROTOCOL : false),
    });
  }

  onApplicationBootstrap(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (request, socket, head) => {
      if (isWebSocketUpgrade(request)) void this.upgrade(request, socket, head);
      else ignoreUpgrade(server, request, socket, head);
    });
    this.server.on('wsClientError', ({ message }, socket) =>
      refuse(socket, invalidRequest(`This is not a WebSocket handshake of RFC 6455: ${message}.`)),
    );
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // The peer may disconnect before the response.
    socket.on('error', () => socket.destroy());
    const admission = await this.admit(request).catch(() => undefined);
    if (admission === undefined) return void socket.destroy();
    if (admission instanceof GatewayException) return refuse(socket, admission);
    this.server.handleUpgrade(request, socket, head, (webSocket) => this.serve(webSocket, admission));
  }

  private async admit(request: IncomingMessage): Promise<Admission | GatewayException> {
    const { EVENTS_PROTOCOL, ALLOWED_ORIGINS } = this.settings;
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    if (path !== EVENTS_PATH)
      return new GatewayException(404, 'REQ::NOT_FOUND', `The WebSocket is at ${EVENTS_PATH}.`);
    // Credentials are not checked for a foreign page, because a browser may add them by itself.
    if (!isFromAllowedOrigin(request, ALLOWED_ORIGINS)) return foreignOrigin();
    const refusal = await this.userAuth.authorize(request, 'messages');
    if (refusal !== undefined) return refusal;
    if (this.connections.closing)
      return new GatewayException(503, 'BUS::UNHEALTHY', 'The gateway is stopping.');
    if (this.connections.full) {
      return new GatewayException(503, 'BUS::UNHEALTHY', 'The gateway serves as many WebSockets as it may.');
    }
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
    if (offered && !offered.includes(EVENTS_PROTOCOL)) {
      return invalidRequest(`The sub-protocol of this WebSocket is ${EVENTS_PROTOCOL}.`);
    }
    const result = parseEventsQuery(new URLSearchParams(query));
    if (!result.ok) return invalidRequest(result.reason);
    const user = this.userAuth.getUser(request.headers.authorization);
    return user === undefined ? unauthenticated() : { user, options: result.options };
  }

  private serve(socket: WebSocket, { user, options }: Admission): void {
    const connection = this.connections.serve(socket, options);
    this.users.set(connection, user);
    // Kept until all its messages are sent, because its user may lose the right to send before.
    socket.once('close', () => void connection.finished().then(() => this.users.delete(connection)));
  }

  /** A connection may last for months, so rights are checked again when the users change. */
  private endRevokedClients(): void {
    for (const [connection, user] of this.users) {
      if (!this.userAuth.isStillAllowed(user, 'messages')) connection.end(unauthenticated().body().err);
    }
  }
}

function refuse(socket: Duplex, exception: GatewayException): void {
  const { status } = exception;
  refuseUpgrade(socket, { status, body: exception.body(), headers: getErrorHeaders(exception) });
}

/** The client may offer other protocols as well. */
function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '').split(',').some((name) => name.trim().toLowerCase() === 'websocket');
}

/** Headers that belong only to the upgrade (RFC 9110 §7.6.1 and §7.8; HTTP2-Settings: RFC 7540 §3.2.1). */
const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings']);

/**
 * Serves a request without the upgrade that it offers, such as h2c (RFC 9110 §7.8).
 * Node detaches the socket from the HTTP server, so it is returned to the server with the rewritten request.
 */
function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
