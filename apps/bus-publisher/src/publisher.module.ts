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
import {
  createFormerFaultsTask,
  GatewayAccessMonitor,
  operationsWebhookTargets,
  reportConfigReloads,
} from '@ssb/faults';
import type { PeriodicTask } from '@ssb/net';
import {
  ClockMonitor,
  gatewayConnectionProvider,
  Liveness,
  LOGGER,
  Metrics,
  outgoingConnectionProviders,
  Readiness,
  SETTINGS,
  type Logger,
} from '@ssb/platform';
import {
  assertWritableRedis,
  DeadLetters,
  EventQueue,
  EventWorker,
  QueueFaultReporting,
  readRedisClock,
  type RedisConnection,
} from '@ssb/redis-queue';
import { DeadLetterRetries } from './dead-letters/dead-letter-retries.js';
import { gatewayProviders } from './gateway.js';
import { PublisherMetrics } from './monitoring/publisher-metrics.js';
import { QueueMonitor } from './monitoring/queue-monitor.js';
import { clockProviders, type PublisherClock } from './publisher-clock.js';
import { PublisherKeys } from './publisher-keys.js';
import { EventPublisher } from './publishing/event-publisher.js';
import { PublicationReports } from './publishing/publication-reports.js';
import { INTEGRITY_KEYS, queueProviders, REDIS, writableKey } from './redis.js';
import { openConfig, type Settings } from './settings.js';

/** Composes the process: a worker takes events from the queue, and `EventPublisher` posts them to the gateway. */
@Module({})
export class PublisherModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private worker: EventWorker | undefined;
  private monitor: QueueMonitor | undefined;
  private readonly formerFaults: PeriodicTask;

  /** Reads every file before anything is connected. @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    const keys = await PublisherKeys.open(settings, log);
    return {
      module: PublisherModule,
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
    @Inject(ClockMonitor) private readonly clock: PublisherClock,
    private readonly gateway: GatewayClient,
    private readonly gatewayAccess: GatewayAccessMonitor,
    private readonly publisher: EventPublisher,
    private readonly reports: PublicationReports,
    private readonly deadLetterRetries: DeadLetterRetries,
    private readonly faultReporting: QueueFaultReporting,
    private readonly publisherMetrics: PublisherMetrics,
    private readonly readiness: Readiness,
    private readonly liveness: Liveness,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    keys.observe(metrics);
    reportConfigReloads(config, { metrics, faults: faultReporting.reporter });
    config.observe({ onApplied: () => gatewayAccess.requirementsChanged() });
    this.formerFaults = createFormerFaultsTask(config, faultReporting, log);
  }

  onApplicationBootstrap(): void {
    const { redis, queue, deadLetters, reports, log, settings } = this;
    const { QUEUE_PREFIX: prefix, STUCK_AFTER_MS: stuckAfterMs } = settings;
    this.clock.watch(async () => this.clock.observe('redis', await readRedisClock(redis)));
    const worker = new EventWorker(
      {
        redis,
        prefix,
        keys: this.keys.integrity,
        concurrency: settings.CONCURRENCY,
        deadLetters,
        onError: (err) => log.warn({ err }, 'queue worker failed'),
        onFirstAttempt: (waitedMs) => this.publisherMetrics.observeQueueWait(waitedMs),
      },
      this.publisher,
      reports,
    );
    const monitor = new QueueMonitor({
      redis,
      queue,
      deadLetters,
      worker,
      reports,
      metrics: this.publisherMetrics,
      log,
      stuckAfterMs,
      restartAfterMs: RESTART_FACTOR * stuckAfterMs + 2 * settings.GATEWAY_TIMEOUT_MS,
    });
    this.readiness.register('redis', () => assertWritableRedis(redis, writableKey(prefix)));
    this.readiness.register('gateway', () => this.gatewayAccess.assertAccess());
    this.readiness.register('progress', () => monitor.assertProgress());
    this.liveness.register('progress', () => monitor.assertLife());
    this.faultReporting.start();
    this.formerFaults.start();
    this.gatewayAccess.start();
    monitor.start();
    this.deadLetterRetries.start();
    this.config.watch();
    this.worker = worker;
    this.monitor = monitor;
  }

  /** Takes no more events and completes those in flight. */
  async beforeApplicationShutdown(): Promise<void> {
    this.clock.stop();
    await this.worker?.stopIntake();
    await this.worker?.close();
    await this.gatewayAccess.stop();
    await this.formerFaults.stop();
    await this.faultReporting.stop();
    // These may wait for Redis, so they stop last.
    await this.deadLetterRetries.stop();
    await this.monitor?.stop();
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

/** Readiness reports first; a restart is the last resort. */
const RESTART_FACTOR = 5;
