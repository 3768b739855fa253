import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { STREAM_PATH, STREAM_PROTOCOL, watchLiveness } from '@ssb/bus';
import { type Did, identityOf } from '@ssb/identity';
import { LOGGER, Metrics, refuseUpgrade, SETTINGS, type Logger } from '@ssb/platform';
import { WebSocketServer, type WebSocket } from 'ws';
import { asBusError, BusError } from '../errors/bus-error.js';
import { Directory } from '../permissions/permission.service.js';
import { BearerTokens } from '../identity/bearer-tokens.js';
import { MESSAGE_LOG, type MessageLog } from '../storage/message-log.js';
import type { Change } from '../storage/redis/change-notifications.js';
import { RoleRegister } from '../storage/redis/role.repository.js';
import { SessionRegister } from '../storage/redis/session.store.js';
import type { Settings } from '../settings.js';
import { Connection } from './connection.js';
import type { StreamParts } from './subscription.js';

/** Largest frame of a gateway: a subscription or a list of ids. */
const LARGEST_FRAME = 1_048_576;

const CLOSE_PATIENCE_MS = 2_000;
const GOING_AWAY = 1001;

/** Every gateway's stream at this broker: lets them in, wakes them, sees them out. */
@Injectable()
export class StreamServer {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FRAME,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(STREAM_PROTOCOL) && STREAM_PROTOCOL,
  });
  private readonly connections = new Map<Connection, WebSocket>();
  private readonly open;
  private readonly parts: StreamParts;
  private closing = false;

  constructor(
    private readonly tokens: BearerTokens,
    directory: Directory,
    sessions: SessionRegister,
    roles: RoleRegister,
    @Inject(MESSAGE_LOG) messages: MessageLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'STREAM_PING_MS' | 'STREAMS_PER_IDENTITY'>,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    const pushed = metrics.counter({
      name: 'broker_messages_pushed_total',
      help: 'Messages sent on streams, repeats included.',
    });
    const gaps = metrics.counter({
      name: 'broker_gaps_total',
      help: 'Times that retention took messages before a subscribed reader had them.',
    });
    this.parts = { directory, messages, sessions, roles, log, pushed, gaps };
    this.open = metrics.gauge({ name: 'broker_streams', help: 'Streams of gateways that are open.' });
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', (error) => this.log.debug({ err: error }, 'a stream broke while it was opened'));
      this.admit(request).then(
        (did) => this.sockets.handleUpgrade(request, socket, head, (stream) => this.accept(did, stream)),
        (error: unknown) => {
          const shown = asBusError(error) ?? new BusError('BUS::INTERNAL', 'The broker failed.');
          if (shown.status >= 500) this.log.error({ err: error }, 'a stream could not be opened');
          refuseUpgrade(socket, {
            status: shown.status,
            body: shown.body(),
            ...(shown.code === 'BUS::UNAUTHENTICATED' && { headers: { 'WWW-Authenticate': 'Bearer' } }),
          });
        },
      );
    });
  }

  wake(fqcn: string | undefined): void {
    for (const connection of this.connections.keys()) connection.wake(fqcn);
  }

  changed(change: Change | undefined): void {
    for (const connection of this.connections.keys()) connection.changed(change);
  }

  /** Refuses new streams, stores positions, closes every stream; bounded. */
  async close(): Promise<void> {
    this.closing = true;
    const streams = [...this.connections];
    await Promise.all(streams.map(([connection]) => connection.close()));
    await Promise.all(streams.map(([, socket]) => closed(socket)));
    this.sockets.close();
  }

  private async admit(request: IncomingMessage): Promise<Did> {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== STREAM_PATH) throw new BusError('BUS::NOT_FOUND', `The stream is at ${STREAM_PATH}.`);
    if (this.closing) throw new BusError('BUS::UNHEALTHY', 'The broker is shutting down.');
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
    if (!offered.includes(STREAM_PROTOCOL)) {
      throw new BusError('BUS::INVALID_REQUEST', `The sub-protocol ${STREAM_PROTOCOL} must be offered.`);
    }
    const did = await this.tokens.authenticate(request.headers.authorization);
    const address = identityOf(did);
    const own = [...this.connections.keys()].filter((connection) => connection.address === address);
    if (own.length >= this.settings.STREAMS_PER_IDENTITY) {
      throw new BusError('BUS::TOO_MANY_REQUESTS', 'This identity holds too many streams open.');
    }
    return did;
  }

  private accept(did: Did, socket: WebSocket): void {
    const connection = new Connection(did, socket, this.parts);
    this.connections.set(connection, socket);
    this.open.set(this.connections.size);
    watchLiveness(socket, this.settings.STREAM_PING_MS);
    socket.on('error', (error) => this.log.debug({ err: error, did }, 'a stream broke'));
    socket.once('close', (code) => {
      this.connections.delete(connection);
      this.open.set(this.connections.size);
      this.log.info({ did, code }, 'stream closed');
      void connection.close();
    });
    this.log.info({ did }, 'stream opened');
    if (this.closing) socket.close(GOING_AWAY);
  }
}

async function closed(socket: WebSocket): Promise<void> {
  if (socket.readyState === socket.CLOSED) return;
  const timer = setTimeout(() => socket.terminate(), CLOSE_PATIENCE_MS);
  socket.close(GOING_AWAY, 'the broker is going down');
  await once(socket, 'close');
  clearTimeout(timer);
}
