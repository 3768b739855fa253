import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { basicAuthorization, ReconnectingWebSocket } from '@ssb/bus';
import { ConfigurationError, LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { BODY_LIMIT, type Settings } from '../settings.js';
import { ClientTls } from '../tls/client-tls.js';
import { EventsConnections } from './events-connections.js';
import { parseEventsQuery, type EventsOptions } from './events-query.js';
import { METRICS } from '../metrics.js';
import { ClientCertificates } from '../tls/client-certificates.js';

/** EVENTS_CLIENT_QUERY is not a valid query of `/events`. */
export class EventsClientQueryError extends ConfigurationError {
  override readonly name = 'EventsClientQueryError';
}

/**
 * Client mode: connects to a WebSocket server that cannot connect to the gateway, and serves it like a client.
 * It reconnects until shutdown.
 */
@Injectable()
export class EventsDialler implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly options: EventsOptions;
  private readonly tls: ClientTls;
  private readonly connectedGauge;
  private connection: ReconnectingWebSocket | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly connections: EventsConnections,
    metrics: Metrics,
    certificates: ClientCertificates,
  ) {
    const query = parseEventsQuery(new URLSearchParams(settings.EVENTS_CLIENT_QUERY));
    if (!query.ok) throw new EventsClientQueryError(`EVENTS_CLIENT_QUERY: ${query.reason}`);
    this.options = query.options;
    if (settings.EVENTS_CLIENT_PASSWORD !== undefined && settings.EVENTS_CLIENT_USERNAME === undefined) {
      throw new ConfigurationError(
        'EVENTS_CLIENT_PASSWORD goes with EVENTS_CLIENT_USERNAME: set both, or the name alone.',
      );
    }
    this.tls = new ClientTls({
      server: 'dialled server',
      settingsPrefix: 'EVENTS_CLIENT',
      ca: settings.EVENTS_CLIENT_CA_FILE,
      cert: settings.EVENTS_CLIENT_CERT_FILE,
      key: settings.EVENTS_CLIENT_KEY_FILE,
      intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
      log,
    });
    certificates.observe('events-client', () => this.tls.current.cert);
    this.connectedGauge = metrics.gauge(METRICS.dialled);
  }

  async onModuleInit(): Promise<void> {
    await this.tls.start();
  }

  onApplicationBootstrap(): void {
    if (this.settings.EVENTS_CLIENT_URL !== undefined) this.dial(this.settings.EVENTS_CLIENT_URL);
  }

  /** Opens no more connections. EventsConnections closes the open one. */
  async beforeApplicationShutdown(): Promise<void> {
    this.connection?.stopRetrying();
    await this.tls.stop();
  }

  private dial(address: string): void {
    const { EVENTS_PROTOCOL, EVENTS_CLIENT_USERNAME, EVENTS_CLIENT_PASSWORD = '' } = this.settings;
    this.connection = new ReconnectingWebSocket({
      handshake: () => ({
        address,
        protocol: EVENTS_PROTOCOL,
        options: {
          headers: {
            ...(EVENTS_CLIENT_USERNAME !== undefined && {
              authorization: basicAuthorization(EVENTS_CLIENT_USERNAME, EVENTS_CLIENT_PASSWORD),
            }),
          },
          maxPayload: BODY_LIMIT,
          ...this.tls.current,
        },
      }),
      onOpen: (socket) => {
        this.connectedGauge.set(1);
        this.connections.serve(socket, this.options);
      },
      onDisconnected: ({ reason, retryInMs }) => {
        this.connectedGauge.set(0);
        this.log.warn({ reason, retryInMs }, 'dialled server disconnected');
      },
    });
    this.connection.start();
  }
}
