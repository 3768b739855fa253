import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { ClockMonitor } from '@ssb/clock';
import type { KeyRingFile } from '@ssb/key-ring';
import { FaultReporter, operationsWebhookTargets, QueueFaultReporting } from '@ssb/operational-alerts';
import {
  findDetectionSettings,
  findRoute,
  listChannels,
  type DetectionSettings,
  type OperatorConfig,
} from '@ssb/operator-config';
import {
  ConfigurationError,
  LOGGER,
  Metrics,
  outgoingConnectionProviders,
  OutgoingConnections,
  Readiness,
  type Logger,
} from '@ssb/platform';
import { RecordStore } from '@ssb/record-store';
import type { EventQueue } from '@ssb/queue';
import { readRedisClock, type RedisConnection } from '@ssb/redis';
import { createClock, type PollerClock } from './clock.js';
import { createParticipantFaults } from './create-participant-faults.js';
import { Heartbeats } from './heartbeats.js';
import { openMarketClients, type MarketClients } from './market/market-clients.js';
import { ParticipantFaults } from './participant-faults.js';
import { PollerMetrics } from './poller-metrics.js';
import { createPoller } from './create-poller.js';
import { Poller } from './poll.js';
import { PollScheduler } from './poll-scheduler.js';
import { LargeStatements } from './records/large-statements.js';
import { INTEGRITY_KEYS, QUEUE, REDIS, redisProviders } from './redis/redis-providers.js';
import { readOperatorConfig, type Settings } from './settings.js';
import { PollerStateStore } from './state/poller-state.js';

const MARKET = Symbol('MARKET');

/** CONFIG_FILE does not name the participant. */
export class UnknownParticipantError extends ConfigurationError {
  override readonly name = 'UnknownParticipantError';

  constructor(
    readonly participant: string,
    readonly file: string,
  ) {
    super(`${file} does not name participant ${participant}; add it under participants.`);
  }
}

@Module({})
export class PollerModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(MARKET) private readonly market: MarketClients,
    @Inject(INTEGRITY_KEYS) private readonly integrityKeys: KeyRingFile,
    private readonly faultReporting: QueueFaultReporting,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
  ) {}

  static register(settings: Settings, log: Logger): DynamicModule {
    const config = readOperatorConfig(settings, log);
    const detection = readDetectionSettings(settings, config);
    const intervals = {
      prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
      // After a failure the next request may come later than the next poll.
      settlement: Math.max(settings.POLL_SETTLEMENT_INTERVAL_MS, settings.SETTLEMENT_RETRY_INTERVAL_MS),
    };
    return {
      module: PollerModule,
      imports: [ScheduleModule.forRoot()],
      providers: [
        PollerMetrics,
        PollScheduler,
        ...outgoingConnectionProviders('poller', settings, operationsWebhookTargets(settings)),
        ...redisProviders(settings),
        {
          provide: ClockMonitor,
          inject: [FaultReporter, Metrics, LOGGER],
          useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger) =>
            createClock(settings, { faults, metrics, log }),
        },
        {
          provide: MARKET,
          inject: [OutgoingConnections, REDIS, ClockMonitor, PollerMetrics, LOGGER],
          useFactory: (
            connections: OutgoingConnections,
            redis: RedisConnection,
            clock: PollerClock,
            metrics: PollerMetrics,
            log: Logger,
          ) => openMarketClients(settings, { connections, redis, clock, metrics, log }),
        },
        {
          provide: ParticipantFaults,
          inject: [MARKET, FaultReporter, Readiness],
          useFactory: (market: MarketClients, reporter: FaultReporter, readiness: Readiness) =>
            createParticipantFaults(settings, intervals, { market, reporter, readiness }),
        },
        {
          provide: Heartbeats,
          inject: [PollerStateStore, QUEUE, PollerMetrics, LOGGER],
          useFactory: (state: PollerStateStore, queue: EventQueue, metrics: PollerMetrics, log: Logger) =>
            new Heartbeats({
              participant: settings.PARTICIPANT,
              channels: listChannels(config),
              intervalMs: settings.HEARTBEAT_INTERVAL_MS,
              pollIntervalMs: intervals,
              state,
              queue,
              metrics,
              log,
            }),
        },
        {
          provide: LargeStatements,
          inject: [RecordStore, PollerMetrics, LOGGER],
          useFactory: (store: RecordStore, metrics: PollerMetrics, log: Logger) =>
            new LargeStatements({ routeOf: (type) => findRoute(config, type), store, metrics, log }),
        },
        {
          provide: Poller,
          inject: [PollerStateStore, QUEUE, MARKET, LargeStatements, PollerMetrics, LOGGER],
          useFactory: (
            state: PollerStateStore,
            queue: EventQueue,
            market: MarketClients,
            largeStatements: LargeStatements,
            metrics: PollerMetrics,
            log: Logger,
          ) => createPoller(settings, detection, { state, queue, market, largeStatements, metrics, log }),
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.faultReporting.start();
    this.clock.watch(async () => this.clock.observe('redis', await readRedisClock(this.redis)));
  }

  /** Runs after the scheduler's hook. Polls that wait for the request budget must not delay the shutdown. */
  onModuleDestroy(): void {
    this.clock.stop();
    this.market.stopWaiting();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.faultReporting.stop();
    await this.integrityKeys.close();
    await this.queue.close();
    await this.market.close();
    this.redis.disconnect();
  }
}

function readDetectionSettings(settings: Settings, config: OperatorConfig): DetectionSettings {
  const found = findDetectionSettings(config, settings.PARTICIPANT);
  if (found === undefined) throw new UnknownParticipantError(settings.PARTICIPANT, settings.CONFIG_FILE);
  return found;
}
