import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { STREAM_PATH, STREAM_PROTOCOL, watchLiveness } from '@ssb/bus';
import { type Did, lowerCaseAddress } from '@ssb/identity';
import { LOGGER, refuseUpgrade, SETTINGS, type Logger } from '@ssb/platform';
import { WebSocketServer, type WebSocket } from 'ws';
import { BrokerMetrics } from '../broker-metrics.js';
import { BusError, toBusError } from '../errors/bus-error.js';
import { BearerTokens } from '../identity/bearer-tokens.js';
import { PermissionService } from '../permissions/permission.service.js';
import type { Settings } from '../settings.js';
import { MESSAGE_LOG, type MessageLog } from '../storage/message-log.js';
import type { Change } from '../storage/redis/change-notifications.js';
import { ReaderStartStore } from '../storage/redis/reader-start.store.js';
import { RoleRepository } from '../storage/redis/role.repository.js';
import { SessionStore } from '../storage/redis/session.store.js';
import { StreamConnection } from './stream-connection.js';
import type { SubscriptionDependencies } from './subscription.js';

/** Maximum size of a frame from a gateway, which is a subscription or a list of ids. */
const MAX_FRAME_BYTES = 1_048_576;

const CLOSE_TIMEOUT_MS = 2_000;
const GOING_AWAY = 1001;

export type StreamSettings = Pick<Settings, 'STREAM_PING_INTERVAL_MS' | 'MAX_STREAMS_PER_IDENTITY'>;

/** Accepts the WebSocket connections of gateways. */
@Injectable()
export class StreamServer {
  private readonly webSocketServer = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(STREAM_PROTOCOL) && STREAM_PROTOCOL,
  });
  private readonly connections = new Map<StreamConnection, WebSocket>();
  private readonly dependencies: SubscriptionDependencies;
  private isClosing = false;

  constructor(
    private readonly tokens: BearerTokens,
    permissions: PermissionService,
    sessions: SessionStore,
    readerStarts: ReaderStartStore,
    private readonly roles: RoleRepository,
    @Inject(MESSAGE_LOG) messageLog: MessageLog,
    @Inject(SETTINGS) private readonly settings: StreamSettings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly metrics: BrokerMetrics,
  ) {
    this.dependencies = { permissions, messageLog, sessions, readerStarts, log, metrics };
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.upgrade(request, socket, head);
    });
  }

  /** Called after each change at any broker; undefined when anything may have changed. */
  notifyChanged(change: Change | undefined): void {
    for (const connection of this.connections.keys()) connection.notifyChanged(change);
  }

  /** Refuses new connections, stores offsets and closes every connection within a timeout. */
  async close(): Promise<void> {
    this.isClosing = true;
    const open = [...this.connections];
    await Promise.all(open.map(([connection]) => connection.close()));
    await Promise.all(open.map(([, socket]) => closeSocket(socket)));
    this.webSocketServer.close();
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', (error) => this.log.debug({ err: error }, 'stream upgrade aborted'));
    let did: Did;
    try {
      did = await this.authenticate(request);
    } catch (error) {
      this.refuse(socket, error);
      return;
    }
    this.webSocketServer.handleUpgrade(request, socket, head, (webSocket) =>
      this.addConnection(did, webSocket),
    );
  }

  private refuse(socket: Duplex, error: unknown): void {
    const busError = toBusError(error) ?? new BusError('BUS::INTERNAL', 'The broker failed.');
    if (busError.status >= 500) this.log.error({ err: error }, 'stream upgrade failed');
    refuseUpgrade(socket, {
      status: busError.status,
      body: busError.body(),
      ...(busError.code === 'BUS::UNAUTHENTICATED' && { headers: { 'WWW-Authenticate': 'Bearer' } }),
    });
  }

  /** @throws BusError when the stream is refused */
  private async authenticate(request: IncomingMessage): Promise<Did> {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== STREAM_PATH) throw new BusError('BUS::NOT_FOUND', `The stream is at ${STREAM_PATH}.`);
    if (this.isClosing) throw new BusError('BUS::UNHEALTHY', 'The broker is shutting down.');
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
    if (!offered.includes(STREAM_PROTOCOL)) {
      throw new BusError('BUS::INVALID_REQUEST', `The sub-protocol ${STREAM_PROTOCOL} must be offered.`);
    }
    const did = await this.tokens.authenticate(request.headers.authorization);
    const address = lowerCaseAddress(did);
    const own = [...this.connections.keys()].filter((connection) => connection.address === address);
    if (own.length >= this.settings.MAX_STREAMS_PER_IDENTITY) {
      throw new BusError('BUS::TOO_MANY_REQUESTS', 'This identity holds too many streams open.');
    }
    return did;
  }

  private addConnection(did: Did, socket: WebSocket): void {
    const connection = new StreamConnection(did, socket, this.roles, this.dependencies);
    this.connections.set(connection, socket);
    this.metrics.streams.set(this.connections.size);
    watchLiveness(socket, this.settings.STREAM_PING_INTERVAL_MS);
    socket.on('error', (error) => this.log.debug({ err: error, did }, 'stream error'));
    socket.once('close', (code) => {
      this.connections.delete(connection);
      this.metrics.streams.set(this.connections.size);
      this.log.info({ did, code }, 'stream closed');
      void connection.close();
    });
    this.log.info({ did }, 'stream opened');
    if (this.isClosing) socket.close(GOING_AWAY);
  }
}

async function closeSocket(socket: WebSocket): Promise<void> {
  if (socket.readyState === socket.CLOSED) return;
  const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
  socket.close(GOING_AWAY, 'the broker is going down');
  await once(socket, 'close');
  clearTimeout(timer);
}
