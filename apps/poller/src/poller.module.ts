import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { OperatorConfigFile } from '@ssb/config';
import {
  createFormerFaultsTask,
  FaultReporter,
  operationsWebhookTargets,
  reportConfigReloads,
} from '@ssb/faults';
import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type Provider,
} from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { KeyRingFile, observeKeys } from '@ssb/keys';
import type { ClientConnection, PeriodicTask } from '@ssb/net';
import {
  ClockMonitor,
  LOGGER,
  Metrics,
  outgoingConnectionProviders,
  OutgoingConnections,
  Readiness,
  ScrapeReading,
  WEBHOOK_CONNECTION,
  type Logger,
} from '@ssb/platform';
import {
  observeQueue,
  openEventQueue,
  QueueFaultReporting,
  QueueReader,
  readRedisClock,
  RecordStore,
  type EventQueue,
  type RedisConnection,
} from '@ssb/redis-queue';
import { FailureLog } from './faults/failure-log.js';
import { Replicas } from './lease/replicas.js';
import { PollerMetrics } from './metrics/poller-metrics.js';
import { ParticipantFactory } from './participants/participant-factory.js';
import { Participants } from './participants/participants.js';
import { planParticipants } from './participants/plan-participants.js';
import { createClock, type PollerClock } from './poller-clock.js';
import { RecordRetention } from './records/record-retention.js';
import { connectToRedis, INTEGRITY_KEYS, QUEUE, REDIS } from './redis.js';
import { openConfig, type Settings } from './settings.js';
import { sharedPollerKeys } from './state/poller-keys.js';
import { SubscriberWatch } from './subscriber/subscriber-watch.js';

/** Composes the process. `ParticipantFactory` composes each participant. */
@Module({})
export class PollerModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly formerFaults: PeriodicTask;

  /** Reads CONFIG_FILE before anything is connected. @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    planParticipants(settings, config.current());
    return {
      module: PollerModule,
      imports: [ScheduleModule.forRoot()],
      providers: [
        { provide: OperatorConfigFile, useValue: config },
        ...outgoingConnectionProviders('poller', settings, operationsWebhookTargets(settings), {
          hasParticipants: true,
        }),
        ...redisProviders(settings),
        ...QueueFaultReporting.providers('poller', settings, {
          redis: REDIS,
          queue: QUEUE,
          integrityKeys: INTEGRITY_KEYS,
        }),
        {
          provide: ClockMonitor,
          inject: [FaultReporter, Metrics, LOGGER],
          useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger) =>
            createClock(settings, { faults, metrics, log }),
        },
        {
          provide: SubscriberWatch,
          inject: [OutgoingConnections, FaultReporter, LOGGER],
          useFactory: (connections: OutgoingConnections, faults: FaultReporter, log: Logger) =>
            SubscriberWatch.open(settings, connections, { faults, log }),
        },
        PollerMetrics,
        RecordRetention,
        ParticipantFactory,
        Participants,
      ],
    };
  }

  constructor(
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(INTEGRITY_KEYS) private readonly integrityKeys: KeyRingFile,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
    private readonly faultReporting: QueueFaultReporting,
    private readonly participants: Participants,
    private readonly config: OperatorConfigFile,
    private readonly subscriberWatch: SubscriberWatch,
    metrics: Metrics,
    faults: FaultReporter,
    @Inject(LOGGER) log: Logger,
  ) {
    reportConfigReloads(config, { metrics, faults });
    const reader = new QueueReader({ redis, queue, log });
    // One reading serves the gauges of a scrape.
    const reading = new ScrapeReading(() => reader.read(), { what: 'queue', log, maxAgeMs: 1_000 });
    observeQueue(metrics, () => reading.get());
    this.formerFaults = createFormerFaultsTask(config, faultReporting, log);
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

/** Redis, and what is stored in it for all participants: queue, registered replicas and full records. */
function redisProviders(settings: Settings): Provider[] {
  const { QUEUE_PREFIX: prefix, LEASE_TTL_MS: ttlMs } = settings;
  const keys = sharedPollerKeys(prefix);
  return [
    {
      provide: REDIS,
      inject: [LOGGER, Readiness, WEBHOOK_CONNECTION],
      useFactory: (log: Logger, readiness: Readiness, webhook: ClientConnection) =>
        connectToRedis(settings, log, readiness, webhook),
    },
    {
      provide: INTEGRITY_KEYS,
      inject: [LOGGER, Metrics],
      useFactory: async (log: Logger, metrics: Metrics) => {
        const { INTEGRITY_KEYS_FILE: path, KEYS_RELOAD_INTERVAL_MS: intervalMs } = settings;
        const integrity = await KeyRingFile.open({ path, intervalMs, log });
        observeKeys(metrics, { integrity });
        return integrity;
      },
    },
    {
      provide: QUEUE,
      inject: [REDIS, INTEGRITY_KEYS],
      useFactory: (redis: RedisConnection, integrityKeys: KeyRingFile) =>
        openEventQueue({ redis, prefix, keys: integrityKeys }),
    },
    {
      provide: Replicas,
      inject: [REDIS, LOGGER],
      useFactory: (redis: RedisConnection, log: Logger) => {
        const failures = new FailureLog(log);
        return new Replicas({
          redis,
          key: keys.replicas,
          settingsKey: keys.replicaSettings,
          holder: `${hostname()}:${process.pid}:${randomUUID()}`,
          ttlMs,
          intervalMs: ttlMs * 0.3,
          onSuccess: () => failures.succeeded('replicas'),
          onError: (error) => failures.failed('replicas', error),
        });
      },
    },
    {
      provide: RecordStore,
      inject: [REDIS],
      useFactory: (redis: RedisConnection) =>
        new RecordStore({
          redis,
          prefix,
          maxBytes: settings.RECORD_STORE_MAX_BYTES,
          maxAgeDays: settings.RECORD_STORE_MAX_AGE_DAYS,
        }),
    },
  ];
}
