import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { GatewayClient } from '@ssb/bus';
import { OperatorConfigFile } from '@ssb/config';
import { operationsWebhookTargets } from '@ssb/faults';
import {
  gatewayConnectionProvider,
  LOGGER,
  outgoingConnectionProviders,
  SETTINGS,
  type Logger,
} from '@ssb/platform';
import {
  DeadLetters,
  EventQueue,
  EventWorker,
  QueueFaultReporting,
  type RedisConnection,
} from '@ssb/redis-queue';
import { DeadLetterRetries } from './dead-letters/dead-letter-retries.js';
import { gatewayProviders } from './gateway.js';
import { DeadLetterRequests } from './management/dead-letter-requests.js';
import { ManagementController } from './management/management.controller.js';
import { PublisherMetrics } from './monitoring/publisher-metrics.js';
import { PublisherMonitoring } from './monitoring/publisher-monitoring.js';
import { clockProviders } from './publisher-clock.js';
import { PublisherKeys } from './publisher-keys.js';
import { EventPublisher } from './publishing/event-publisher.js';
import { PublicationReports } from './publishing/publication-reports.js';
import { INTEGRITY_KEYS, queueProviders, REDIS } from './redis.js';
import { openConfig, type Settings } from './settings.js';

/** Composes the process: a worker takes events from the queue, and `EventPublisher` posts them to the gateway. */
@Module({})
export class PublisherModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private worker: EventWorker | undefined;

  /** Reads every file before anything is connected. @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    const keys = await PublisherKeys.open(settings, log);
    return {
      module: PublisherModule,
      controllers: [ManagementController],
      providers: [
        { provide: OperatorConfigFile, useValue: config },
        { provide: PublisherKeys, useValue: keys },
        ...outgoingConnectionProviders('publisher', settings, operationsWebhookTargets(settings)),
        gatewayConnectionProvider(settings),
        ...queueProviders(settings, keys),
        ...QueueFaultReporting.providers('bus-publisher', settings, {
          redis: REDIS,
          queue: EventQueue,
          integrityKeys: INTEGRITY_KEYS,
        }),
        ...clockProviders(settings),
        ...gatewayProviders(settings),
        PublisherMetrics,
        PublicationReports,
        EventPublisher,
        DeadLetterRetries,
        DeadLetterRequests,
        PublisherMonitoring,
      ],
    };
  }

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly config: OperatorConfigFile,
    private readonly keys: PublisherKeys,
    @Inject(REDIS) private readonly redis: RedisConnection,
    private readonly queue: EventQueue,
    private readonly deadLetters: DeadLetters,
    private readonly gateway: GatewayClient,
    private readonly publisher: EventPublisher,
    private readonly reports: PublicationReports,
    private readonly metrics: PublisherMetrics,
    private readonly monitoring: PublisherMonitoring,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { settings, redis, deadLetters } = this;
    this.worker = new EventWorker(
      {
        redis,
        prefix: settings.QUEUE_PREFIX,
        keys: this.keys.integrity,
        concurrency: settings.CONCURRENCY,
        deadLetters,
        onError: (err) => this.log.warn({ err }, 'queue worker failed'),
        onFirstAttempt: (waitedMs) => this.metrics.observeQueueWait(waitedMs),
      },
      this.publisher,
      this.reports,
    );
    this.monitoring.start(this.worker);
    this.config.watch();
  }

  /** Takes no more events and completes those in flight. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stopIntake();
    await this.worker?.close();
    await this.monitoring.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.config.close();
    await this.keys.close();
    await this.queue.close();
    await this.deadLetters.close();
    await this.gateway.close();
    this.redis.disconnect();
  }
}
