import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { watchLiveness } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import type { WebSocket } from 'ws';
import { BrokerStream } from '../broker/broker-stream.js';
import { MessageSender } from '../messages/message-sender.js';
import type { Settings } from '../settings.js';
import { ByteBudget } from './byte-budget.js';
import { EventsConnection, type EventsContext } from './events-connection.js';
import type { EventsOptions } from './events-query.js';
import { SharedSubscriptions } from './shared-subscription.js';
import { METRICS } from '../metrics.js';

/** The connections of all WebSocket clients, whichever side opened them. */
@Injectable()
export class EventsConnections implements BeforeApplicationShutdown {
  private readonly connections = new Set<EventsConnection>();
  private readonly context: EventsContext;
  private readonly connectedGauge;
  /** The gateway is stopping and accepts no new clients. */
  closing = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    sender: MessageSender,
    stream: BrokerStream,
    metrics: Metrics,
  ) {
    this.connectedGauge = metrics.gauge(METRICS.clients);
    this.context = {
      sender,
      stream,
      shared: new SharedSubscriptions(stream, settings.EVENTS_WINDOW),
      outgoing: new ByteBudget(settings.EVENTS_BUFFER_BYTES),
      incoming: new ByteBudget(settings.EVENTS_BUFFER_BYTES),
      delivered: metrics.counter(METRICS.delivered),
      gaps: metrics.counter(METRICS.gaps),
      frames: settings.EVENTS_FRAMES,
      defaultWindow: settings.EVENTS_WINDOW,
    };
  }

  get full(): boolean {
    return this.connections.size >= this.settings.EVENTS_MAX_CLIENTS;
  }

  /** Serves a connected socket until it closes. */
  serve(socket: WebSocket, options: EventsOptions): EventsConnection {
    const { clientId, explicitAck } = options;
    const connection = new EventsConnection(socket, options, this.context, this.log.child({ clientId }));
    this.connections.add(connection);
    this.connectedGauge.set(this.connections.size);
    watchLiveness(socket, this.settings.EVENTS_LIVENESS_MS);
    this.log.info({ clientId, explicitAck }, 'events client connected');
    socket.once('close', (code) => {
      this.connections.delete(connection);
      this.connectedGauge.set(this.connections.size);
      this.log.info({ clientId, code }, 'events client disconnected');
    });
    return connection;
  }

  /** Messages in flight are completed, and their senders get the response, before the sockets close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await Promise.all([...this.connections].map((connection) => connection.close()));
  }
}
