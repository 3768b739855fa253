import { createHash } from 'node:crypto';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { watchLiveness } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import type { WebSocket } from 'ws';
import { BrokerStream, type Subscription, type SubscriptionHandler } from '../broker/broker-stream.js';
import { UNNAMED_CLIENT, type EventsMode } from './events-query.js';
import { Gateway } from '../messages/message-sender.js';
import type { Settings } from '../settings.js';
import { ByteBudget } from './byte-budget.js';
import { EventsClient } from './events-client.js';
import { SharedSubscription } from './shared-subscription.js';

/** A client that takes nothing for so long while others wait for it does not read; a stall of a network is over sooner. */
const READ_TIMEOUT_MS = 1_000;

/** Every WebSocket that messages are served on, whichever side dialled. */
@Injectable()
export class EventsClients implements BeforeApplicationShutdown {
  private readonly clients = new Set<EventsClient>();
  /** Of clients that give no name, by the broker's client id. */
  private readonly shared = new Map<string, SharedSubscription>();
  private readonly outgoing: ByteBudget;
  private readonly incoming: ByteBudget;
  private readonly connected;
  private readonly delivered;
  private readonly gaps;
  /** The gateway is stopping: nobody new is served. */
  closing = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly gateway: Gateway,
    private readonly stream: BrokerStream,
    metrics: Metrics,
  ) {
    this.outgoing = new ByteBudget(settings.EVENTS_BUFFER_BYTES);
    this.incoming = new ByteBudget(settings.EVENTS_BUFFER_BYTES);
    this.connected = metrics.gauge({ name: 'gateway_events_clients', help: 'WebSocket clients connected' });
    this.delivered = metrics.counter({
      name: 'gateway_messages_delivered_total',
      help: 'Messages put on a WebSocket, repeats included',
    });
    this.gaps = metrics.counter({
      name: 'gateway_events_gaps_total',
      help: 'Times that retention removed messages before a client got them, repeats included',
    });
  }

  /** No room for another client at the moment. */
  get full(): boolean {
    return this.clients.size >= this.settings.EVENTS_MOST_CLIENTS;
  }

  /** Serves a connected socket until it closes. */
  serve(socket: WebSocket, mode: EventsMode): EventsClient {
    const { clientId, reliable } = mode;
    const client = new EventsClient(socket, mode, {
      send: (message) => this.gateway.send(message),
      subscribe: (handler) => this.subscribe(mode, handler),
      delivered: (count) => this.delivered.inc(count),
      missed: () => this.gaps.inc(),
      window: this.windowOf(mode),
      outgoing: this.outgoing,
      incoming: this.incoming,
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
    return client;
  }

  /** Intake ends; what is being sent is finished and answered before the sockets close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await Promise.all([...this.clients].map((client) => client.close()));
  }

  private windowOf({ window }: EventsMode): number {
    return window ?? this.settings.EVENTS_WINDOW;
  }

  private subscribe(mode: EventsMode, handler: SubscriptionHandler): Subscription {
    const { named, clientId, fqcn } = mode;
    if (!named) return this.sharedBy(fqcn).join(handler);
    return this.stream.subscribe({ clientId, fqcn, window: this.windowOf(mode) }, handler);
  }

  /** Clients that give no name and listen to the same channels share one position, and each gets every message. */
  private sharedBy(fqcn: readonly string[] | undefined): SharedSubscription {
    const clientId = unnamedClientId(fqcn);
    const known = this.shared.get(clientId);
    if (known) return known;
    const window = this.settings.EVENTS_WINDOW;
    const subscription = new SharedSubscription({
      open: (handler) => this.stream.subscribe({ clientId, fqcn, window }, handler),
      window,
      patienceMs: READ_TIMEOUT_MS,
      onEnd: () => this.shared.delete(clientId),
    });
    this.shared.set(clientId, subscription);
    return subscription;
  }
}

/** The broker's client id of unnamed clients: another selection of channels is another client, with positions of its own. */
function unnamedClientId(fqcn: readonly string[] | undefined): string {
  if (fqcn === undefined) return UNNAMED_CLIENT;
  const selection = JSON.stringify([...new Set(fqcn)].sort());
  return `${UNNAMED_CLIENT}:${createHash('sha256').update(selection).digest('hex').slice(0, 32)}`;
}
