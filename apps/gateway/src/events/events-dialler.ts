import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { backoffPause, basicAuthorization, CLOSE_SUPERSEDED } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { WebSocket } from 'ws';
import { readEventsMode, type EventsMode } from '../domain/events-query.js';
import { BODY_LIMIT, type Settings } from '../settings.js';
import { ClientTls } from '../tls/client-tls.js';
import { EventsClients } from './events-clients.js';

/** EVENTS_CLIENT_QUERY is none that `/events` would take. */
export class EventsClientQueryError extends Error {
  override readonly name = 'EventsClientQueryError';
}

/** A connection that lasted this long was a good one: the next failure starts the backoff anew. */
const STABLE_MS = 5_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const LONGEST_PAUSE_MS = 10_000;
/** After the place was taken over: two that take it from each other at once would do so for ever. */
const SUPERSEDED_ATTEMPT = 6;

/**
 * Client mode: dials out to a WebSocket server that cannot dial in, and serves it as if it had. Connects again for ever; what was not
 * taken or acknowledged comes again on the next connection.
 */
@Injectable()
export class EventsDialler implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly mode: EventsMode;
  private readonly tls: ClientTls;
  private readonly connected;
  private socket: WebSocket | undefined;
  private retry: NodeJS.Timeout | undefined;
  private attempt = 0;
  private stopped = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(EventsClients) private readonly clients: EventsClients,
    @Inject(Metrics) metrics: Metrics,
  ) {
    const verdict = readEventsMode(new URLSearchParams(settings.EVENTS_CLIENT_QUERY));
    if (!verdict.ok) throw new EventsClientQueryError(`EVENTS_CLIENT_QUERY: ${verdict.reason}`);
    this.mode = verdict.mode;
    if (settings.EVENTS_CLIENT_PASSWORD !== undefined && settings.EVENTS_CLIENT_USERNAME === undefined) {
      throw new Error(
        'EVENTS_CLIENT_PASSWORD goes with EVENTS_CLIENT_USERNAME: set both, or the name alone.',
      );
    }
    this.tls = new ClientTls({
      of: 'dialled server',
      prefix: 'EVENTS_CLIENT',
      ca: settings.EVENTS_CLIENT_CA_FILE,
      cert: settings.EVENTS_CLIENT_CERT_FILE,
      key: settings.EVENTS_CLIENT_KEY_FILE,
      intervalMs: settings.FILES_RELOAD_INTERVAL_MS,
      log,
    });
    this.connected = metrics.gauge({
      name: 'gateway_events_dialled',
      help: '1 while the WebSocket server of EVENTS_CLIENT_URL is connected',
    });
  }

  async onModuleInit(): Promise<void> {
    await this.tls.start();
  }

  onApplicationBootstrap(): void {
    if (this.settings.EVENTS_CLIENT_URL !== undefined) this.dial(this.settings.EVENTS_CLIENT_URL);
  }

  /** No new connection; the one there is ends with those that dialled in. */
  beforeApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    this.tls.stop();
    if (this.socket?.readyState === WebSocket.CONNECTING) this.socket.terminate();
  }

  private dial(url: string): void {
    const { EVENTS_PROTOCOL, EVENTS_CLIENT_USERNAME, EVENTS_CLIENT_PASSWORD } = this.settings;
    const socket = new WebSocket(url, EVENTS_PROTOCOL, {
      headers: {
        ...(EVENTS_CLIENT_USERNAME !== undefined && {
          authorization: basicAuthorization(EVENTS_CLIENT_USERNAME, EVENTS_CLIENT_PASSWORD ?? ''),
        }),
      },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: BODY_LIMIT,
      ...this.tls.current,
    });
    this.socket = socket;
    let failure = '';
    let openedAt = 0;
    socket.on('error', (error) => (failure = error.message));
    socket.on('open', () => {
      openedAt = Date.now();
      this.connected.set(1);
      this.clients.serve(socket, this.mode);
    });
    socket.on('close', (code) => {
      this.connected.set(0);
      if (code === CLOSE_SUPERSEDED) this.attempt = Math.max(this.attempt, SUPERSEDED_ATTEMPT);
      else if (openedAt > 0 && Date.now() - openedAt >= STABLE_MS) this.attempt = 0;
      this.dialLater(url, failure || `closed with ${code}`);
    });
  }

  private dialLater(url: string, reason: string): void {
    if (this.stopped) return;
    const retryInMs = backoffPause(this.attempt++, Math.random(), LONGEST_PAUSE_MS);
    this.log.warn({ step: 'dialled-down', reason, retryInMs }, 'the dialled WebSocket is down');
    this.retry = setTimeout(() => this.dial(url), retryInMs);
  }
}
