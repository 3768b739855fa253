import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { watchLiveness } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import type { WebSocket } from 'ws';
import { MessageSender } from '../messages/message-sender.js';
import type { Settings } from '../settings.js';
import { ByteBudget } from './byte-budget.js';
import { EventsClient, type EventsContext } from './events-client.js';
import type { EventsOptions } from './events-query.js';
import { EventsSubscriptions } from './events-subscriptions.js';

/** All connected WebSocket clients, whichever side opened the connection. */
@Injectable()
export class EventsClients implements BeforeApplicationShutdown {
  private readonly clients = new Set<EventsClient>();
  private readonly context: EventsContext;
  private readonly connected;
  /** The gateway is stopping and accepts no new clients. */
  closing = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    sender: MessageSender,
    subscriptions: EventsSubscriptions,
    metrics: Metrics,
  ) {
    this.connected = metrics.gauge({ name: 'gateway_events_clients', help: 'WebSocket clients connected' });
    this.context = {
      sender,
      subscriptions,
      outgoing: new ByteBudget(settings.EVENTS_BUFFER_BYTES),
      incoming: new ByteBudget(settings.EVENTS_BUFFER_BYTES),
      delivered: metrics.counter({
        name: 'gateway_messages_delivered_total',
        help: 'Messages put on a WebSocket, repeats included',
      }),
      gaps: metrics.counter({
        name: 'gateway_events_gaps_total',
        help: 'Times that retention removed messages before a client got them, repeats included',
      }),
      defaultWindow: settings.EVENTS_WINDOW,
    };
  }

  get full(): boolean {
    return this.clients.size >= this.settings.EVENTS_MAX_CLIENTS;
  }

  /** Serves a connected socket until it closes. */
  serve(socket: WebSocket, options: EventsOptions): EventsClient {
    const { clientId, reliable } = options;
    const client = new EventsClient(socket, options, this.context, this.log.child({ clientId }));
    this.clients.add(client);
    this.connected.set(this.clients.size);
    watchLiveness(socket, this.settings.EVENTS_LIVENESS_MS);
    this.log.info({ clientId, reliable }, 'events client connected');
    socket.once('close', (code) => {
      this.clients.delete(client);
      this.connected.set(this.clients.size);
      this.log.info({ clientId, code }, 'events client disconnected');
    });
    return client;
  }

  /** What is being sent is completed and answered before the sockets close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await Promise.all([...this.clients].map((client) => client.close()));
  }
}
