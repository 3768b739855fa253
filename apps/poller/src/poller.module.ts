import {
  createFormerFaultsTask,
  reportConfigReloads,
  FaultReporter,
  operationsWebhookTargets,
} from '@ssb/faults';
import { OperatorConfigFile } from '@ssb/config';
import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  ClockMonitor,
  Liveness,
  LOGGER,
  Metrics,
  outgoingConnectionProviders,
  OutgoingConnections,
  Readiness,
  ScrapeReading,
  SETTINGS,
  type Logger,
} from '@ssb/platform';
import type { KeyRingFile } from '@ssb/keys';
import {
  observeQueue,
  QueueFaultReporting,
  QueueReader,
  RecordStore,
  type EventQueue,
  readRedisClock,
  type RedisConnection,
} from '@ssb/redis-queue';
import type { PeriodicTask } from '@ssb/net';
import { createClock, type PollerClock } from './clock.js';
import { Replicas } from './lease/replicas.js';
import { Participants } from './participants/participants.js';
import { planParticipants } from './participants/plan-participants.js';
import { PollerMetrics } from './poller-metrics.js';
import { HOLDER, INTEGRITY_KEYS, QUEUE, REDIS, redisProviders } from './redis/redis-providers.js';
import { openConfig, type Settings } from './settings.js';
import { SubscriberWatch } from './subscriber-watch.js';

@Module({})
export class PollerModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly formerFaults: PeriodicTask;

  constructor(
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(INTEGRITY_KEYS) private readonly integrityKeys: KeyRingFile,
    private readonly faultReporting: QueueFaultReporting,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
    private readonly participants: Participants,
    private readonly config: OperatorConfigFile,
    private readonly subscriberWatch: SubscriberWatch,
    metrics: Metrics,
    faults: FaultReporter,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) log: Logger,
  ) {
    reportConfigReloads(config, { metrics, faults });
    const reader = new QueueReader({ redis, queue, log });
    // One reading serves the gauges of a scrape.
    const reading = new ScrapeReading(() => reader.read(), { what: 'queue', log, maxAgeMs: 1_000 });
    observeQueue(metrics, () => reading.get());
    config.onChange((changed) => participants.change(planParticipants(settings, changed)));
    this.formerFaults = createFormerFaultsTask(config, faultReporting, log);
  }

  /** Reads CONFIG_FILE before anything is connected. @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    const planned = planParticipants(settings, config.current());
    return {
      module: PollerModule,
      imports: [ScheduleModule.forRoot()],
      providers: [
        PollerMetrics,
        ...outgoingConnectionProviders('poller', settings, operationsWebhookTargets(settings), {
          hasParticipants: true,
        }),
        ...redisProviders(settings),
        {
          provide: ClockMonitor,
          inject: [FaultReporter, Metrics, LOGGER],
          useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger) =>
            createClock(settings, { faults, metrics, log }),
        },
        { provide: OperatorConfigFile, useValue: config },
        {
          provide: SubscriberWatch,
          inject: [OutgoingConnections, FaultReporter, LOGGER],
          useFactory: (connections: OutgoingConnections, faults: FaultReporter, log: Logger) =>
            SubscriberWatch.open(settings, connections, { faults, log }),
        },
        {
          provide: Participants,
          inject: [
            HOLDER,
            REDIS,
            QUEUE,
            INTEGRITY_KEYS,
            OutgoingConnections,
            RecordStore,
            SchedulerRegistry,
            ClockMonitor,
            QueueFaultReporting,
            FaultReporter,
            PollerMetrics,
            LOGGER,
            Replicas,
            Readiness,
            Liveness,
          ],
          useFactory: (
            holder: string,
            redis: RedisConnection,
            queue: EventQueue,
            integrityKeys: KeyRingFile,
            connections: OutgoingConnections,
            records: RecordStore,
            registry: SchedulerRegistry,
            clock: PollerClock,
            reporting: QueueFaultReporting,
            reporter: FaultReporter,
            metrics: PollerMetrics,
            log: Logger,
            replicas: Replicas,
            readiness: Readiness,
            liveness: Liveness,
          ) =>
            Participants.open({
              settings,
              planned,
              config,
              holder,
              redis,
              queue,
              integrityKeys,
              connections,
              records,
              registry,
              clock,
              reporting,
              reporter,
              metrics,
              log,
              replicas,
              readiness,
              liveness,
            }),
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.faultReporting.start();
    this.formerFaults.start();
    this.config.watch();
    this.subscriberWatch.start();
    this.clock.watch(async () => this.clock.observe('redis', await readRedisClock(this.redis)));
  }

  async onModuleDestroy(): Promise<void> {
    this.clock.stop();
    await this.subscriberWatch.stop();
    await this.config.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.formerFaults.stop();
    await this.faultReporting.stop();
    await this.integrityKeys.close();
    await this.queue.close();
    await this.participants.close();
    this.redis.disconnect();
  }
}
