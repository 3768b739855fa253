import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { EVENTS_PATH, watchLiveness } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { WebSocketServer, type WebSocket } from 'ws';
import { BrokerStream } from '../broker/broker-stream.js';
import { hasBasicCredentials } from '../domain/basic-credentials.js';
import { readEventsMode, type EventsMode } from '../domain/events-query.js';
import { GatewayFailure, invalidRequest, unauthenticated } from '../domain/gateway-failure.js';
import { Gateway } from '../gateway.js';
import { BODY_LIMIT, type Settings } from '../settings.js';
import { EventsClient } from './events-client.js';
import { refuseUpgrade } from './upgrade-refusal.js';

/** The WebSocket `/events`: who may connect, and an EventsClient for each who does. */
@Injectable()
export class EventsServer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly clients = new Set<EventsClient>();
  private readonly connected;
  private readonly delivered;
  private readonly server;
  private closing = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(Gateway) private readonly gateway: Gateway,
    @Inject(BrokerStream) private readonly stream: BrokerStream,
    @Inject(Metrics) metrics: Metrics,
  ) {
    const { EVENTS_PROTOCOL } = settings;
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: BODY_LIMIT,
      handleProtocols: (offered) => (offered.has(EVENTS_PROTOCOL) ? EVENTS_PROTOCOL : false),
    });
    this.connected = metrics.gauge({ name: 'gateway_events_clients', help: 'WebSocket clients connected' });
    this.delivered = metrics.counter({
      name: 'gateway_messages_delivered_total',
      help: 'Messages put on a WebSocket, repeats included',
    });
  }

  onApplicationBootstrap(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
  }

  /** Intake ends; what is being sent is finished and answered before the sockets close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await Promise.all([...this.clients].map((client) => client.close()));
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // A peer that is gone before the answer is no failure of ours.
    socket.on('error', () => socket.destroy());
    const decision = this.admit(request);
    if (decision instanceof GatewayFailure) return refuseUpgrade(socket, decision);
    this.server.handleUpgrade(request, socket, head, (client) => this.serve(client, decision));
  }

  private admit(request: IncomingMessage): EventsMode | GatewayFailure {
    const { BASIC_AUTH_USERNAME, BASIC_AUTH_PASSWORD, EVENTS_PROTOCOL } = this.settings;
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    if (path !== EVENTS_PATH)
      return new GatewayFailure(404, 'REQ::NOT_FOUND', `The WebSocket is at ${EVENTS_PATH}.`);
    if (!hasBasicCredentials(request.headers.authorization, BASIC_AUTH_USERNAME, BASIC_AUTH_PASSWORD)) {
      return unauthenticated();
    }
    if (this.closing) return new GatewayFailure(503, 'BUS::UNHEALTHY', 'The gateway is stopping.');
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
    if (offered && !offered.includes(EVENTS_PROTOCOL)) {
      return invalidRequest(`The sub-protocol of this WebSocket is ${EVENTS_PROTOCOL}.`);
    }
    const verdict = readEventsMode(new URLSearchParams(query));
    return verdict.ok ? verdict.mode : invalidRequest(verdict.reason);
  }

  private serve(socket: WebSocket, mode: EventsMode): void {
    const { clientId, reliable } = mode;
    const client = new EventsClient(socket, mode, {
      send: (message) => this.gateway.send(message),
      subscribe: (handler) =>
        this.stream.subscribe(
          { clientId, fqcn: mode.fqcn, window: mode.window ?? this.settings.EVENTS_WINDOW },
          handler,
        ),
      delivered: (count) => this.delivered.inc(count),
      log: this.log.child({ clientId }),
    });
    this.clients.add(client);
    this.connected.set(this.clients.size);
    watchLiveness(socket, this.settings.EVENTS_LIVENESS_MS);
    this.log.info({ clientId, reliable }, 'events client connected');
    socket.once('close', (code) => {
      this.clients.delete(client);
      this.connected.set(this.clients.size);
      this.log.info({ clientId, code }, 'events client gone');
    });
  }
}
