import type { ClientConnection } from '@ssb/net';
import { ALL_PARTICIPANTS, type AlertTopic, type BridgeApp } from '@ssb/events';
import { ContentAuthenticator, type KeySource } from '@ssb/keys';
import { Degradations, LOGGER, Metrics, WEBHOOK_CONNECTION, type Logger } from '@ssb/platform';
import type { EventQueue } from '../queue/event-queue.js';
import type { DiscardedValue } from '../redis/authenticated-hash.js';
import type { RedisConnection } from '../redis/servers.js';
import {
  FAULT_METRICS,
  FaultReporter,
  openOperationsWebhook,
  OperationsWebhook,
  WebhookFaultCarrier,
} from '@ssb/faults';
import { DiscardedState } from './discarded-state.js';
import { QueueFaultCarrier } from './queue-fault-carrier.js';
import { postEarlierOutageEnd } from './queue-outage.js';
import { RedisMonitor } from './redis-monitor.js';

export interface QueueFaultReportingOptions {
  readonly app: BridgeApp;
  readonly settings: Parameters<typeof openOperationsWebhook>[0] & {
    readonly QUEUE_PREFIX: string;
    readonly QUEUE_UNAVAILABLE_AFTER_MS: number;
  };
  readonly webhookConnection?: ClientConnection;
  readonly redis: RedisConnection;
  readonly queue: EventQueue;
  /** Keys that authenticate what is saved in Redis: INTEGRITY_KEYS_FILE. */
  readonly integrityKeys: KeySource;
  readonly degradations: Degradations;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** An injection token of Nest. */
type Token = symbol | (abstract new (...dependencies: never[]) => object);

/** Providers of the app that this class uses. */
interface QueueTokens {
  readonly redis: Token;
  readonly queue: Token;
  readonly integrityKeys: Token;
}

/** Reports the faults of an app whose alerts travel on the queue, those of the queue itself included. */
export class QueueFaultReporting {
  readonly reporter: FaultReporter;
  readonly webhook: OperationsWebhook;
  /** Reports state in Redis that does not come from the bridge. */
  readonly discardedState: DiscardedState;
  private readonly carrier: QueueFaultCarrier;
  private readonly redisMonitor: RedisMonitor;

  constructor(options: QueueFaultReportingOptions) {
    const { app, settings, webhookConnection, redis, queue, integrityKeys, degradations, metrics, log } =
      options;
    const prefix = settings.QUEUE_PREFIX;
    const dropped = metrics.counter(FAULT_METRICS.dropped);
    this.webhook = openOperationsWebhook(settings, log, webhookConnection, dropped);
    this.discardedState = new DiscardedState(metrics, log, () => this.reporter);
    const authenticator = new ContentAuthenticator(integrityKeys, 'operational-alerts');
    const onDiscarded = (discarded: readonly DiscardedValue[]): void =>
      this.discardedState.report('operational-alerts', ALL_PARTICIPANTS, discarded);
    const store = { app, redis, prefix, authenticator, onDiscarded };
    this.carrier = new QueueFaultCarrier({ ...store, queue, webhook: this.webhook, log });
    const outageCarrier = new WebhookFaultCarrier(app, this.webhook);
    const { carrier } = this;
    this.reporter = new FaultReporter({ app, carrier, outageCarrier, dropped, degradations, metrics, log });
    this.redisMonitor = new RedisMonitor({
      ...store,
      faults: this.reporter,
      unavailableAfterMs: settings.QUEUE_UNAVAILABLE_AFTER_MS,
      onEarlierOutage: (since) => postEarlierOutageEnd(app, this.webhook, since),
    });
  }

  /** Nest providers of this class, of its reporter and of its webhook. */
  static providers(
    app: BridgeApp,
    settings: QueueFaultReportingOptions['settings'],
    { redis, queue, integrityKeys }: QueueTokens,
  ) {
    return [
      {
        provide: QueueFaultReporting,
        inject: [redis, queue, integrityKeys, WEBHOOK_CONNECTION, Degradations, Metrics, LOGGER],
        useFactory: (
          connection: RedisConnection,
          eventQueue: EventQueue,
          keys: KeySource,
          webhookConnection: ClientConnection,
          degradations: Degradations,
          metrics: Metrics,
          log: Logger,
        ) =>
          new QueueFaultReporting({
            app,
            settings,
            redis: connection,
            queue: eventQueue,
            integrityKeys: keys,
            webhookConnection,
            degradations,
            metrics,
            log,
          }),
      },
      {
        provide: FaultReporter,
        inject: [QueueFaultReporting],
        useFactory: ({ reporter }: QueueFaultReporting) => reporter,
      },
      {
        provide: OperationsWebhook,
        inject: [QueueFaultReporting],
        useFactory: ({ webhook }: QueueFaultReporting) => webhook,
      },
    ];
  }

  start(): void {
    this.reporter.start();
    this.redisMonitor.start();
  }

  /** Topics of the lasting faults of the app. */
  async listLastingTopics(): Promise<AlertTopic[]> {
    return this.carrier.listLastingTopics();
  }

  /** Makes one more attempt to send what is pending. */
  async stop(): Promise<void> {
    this.redisMonitor.stop();
    this.discardedState.stop();
    await this.reporter.stop();
    await this.webhook.stop();
  }
}
