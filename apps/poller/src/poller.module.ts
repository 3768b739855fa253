import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { Redis } from 'ioredis';
import { ClockMonitor } from '@ssb/clock';
import { parseDecimal } from '@ssb/market';
import { FaultReporter, QueueFaultReporting, reportUnavailableQueue } from '@ssb/operational-alerts';
import { findMarginThresholds, findRoute, listChannels, type OperatorConfig } from '@ssb/operator-config';
import { ConfigurationError, Degradations, LOGGER, Metrics, Readiness, type Logger } from '@ssb/platform';
import { RecordStore } from '@ssb/record-store';
import { openEventQueue, type EventQueue } from '@ssb/queue';
import { checkDurability, connectRedis, readRedisClock, requireWritableRedis } from '@ssb/redis';
import { createClock, type PollerClock } from './clock.js';
import type { Thresholds } from './domain/margin.js';
import { createParticipantFaults } from './create-participant-faults.js';
import { Heartbeats } from './heartbeats.js';
import { Lease } from './lease/lease.js';
import { openMarketClients, type MarketClients } from './market/market-clients.js';
import { ParticipantFaults } from './participant-faults.js';
import { PollerMetrics } from './poller-metrics.js';
import { Poller } from './poll.js';
import { PollScheduler } from './poll-scheduler.js';
import { LargeStatements } from './records/large-statements.js';
import { RecordRetention } from './records/record-retention.js';
import { readOperatorConfig, type Settings } from './settings.js';
import { pollerKeys, PollerStateStore } from './state/poller-state.js';

const REDIS = Symbol('REDIS');
const QUEUE = Symbol('QUEUE');
const MARKET = Symbol('MARKET');

/** CONFIG_FILE has no margin thresholds for the participant. */
export class UnknownParticipantError extends ConfigurationError {
  override readonly name = 'UnknownParticipantError';

  constructor(
    readonly participant: string,
    readonly file: string,
  ) {
    super(`${file} has no margin thresholds for participant ${participant}; add it under participants.`);
  }
}

@Module({})
export class PollerModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(MARKET) private readonly market: MarketClients,
    private readonly faultReporting: QueueFaultReporting,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
  ) {}

  static register(settings: Settings, log: Logger): DynamicModule {
    const keys = pollerKeys(settings.QUEUE_PREFIX, settings.PARTICIPANT);
    const config = readOperatorConfig(settings, log);
    const thresholds = readThresholds(settings, config);
    const intervals = {
      prudential: settings.POLL_PRUDENTIAL_INTERVAL_MS,
      settlement: settings.POLL_SETTLEMENT_INTERVAL_MS,
    };
    return {
      module: PollerModule,
      imports: [ScheduleModule.forRoot()],
      providers: [
        PollerMetrics,
        PollScheduler,
        {
          provide: REDIS,
          inject: [LOGGER, Readiness],
          useFactory: (log: Logger, readiness: Readiness) =>
            connectToRedis(settings, keys.writable, log, readiness),
        },
        {
          provide: QUEUE,
          inject: [REDIS],
          useFactory: (redis: Redis) => openEventQueue(redis, settings.QUEUE_PREFIX),
        },
        {
          provide: QueueFaultReporting,
          inject: [REDIS, QUEUE, Degradations, Metrics, LOGGER],
          useFactory: (
            redis: Redis,
            queue: EventQueue,
            degradations: Degradations,
            metrics: Metrics,
            log: Logger,
          ) => new QueueFaultReporting({ app: 'poller', settings, redis, queue, degradations, metrics, log }),
        },
        {
          provide: FaultReporter,
          inject: [QueueFaultReporting],
          useFactory: ({ reporter }: QueueFaultReporting) => reporter,
        },
        {
          provide: ClockMonitor,
          inject: [FaultReporter, Metrics, LOGGER],
          useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger) =>
            createClock(settings, { faults, metrics, log }),
        },
        {
          provide: MARKET,
          inject: [REDIS, ClockMonitor, PollerMetrics, LOGGER],
          useFactory: (redis: Redis, clock: PollerClock, metrics: PollerMetrics, log: Logger) =>
            openMarketClients(settings, { redis, clock, metrics, log }),
        },
        {
          provide: PollerStateStore,
          inject: [REDIS],
          useFactory: (redis: Redis) => new PollerStateStore(redis, keys),
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
          provide: RecordStore,
          inject: [REDIS],
          useFactory: (redis: Redis) =>
            new RecordStore({
              redis,
              prefix: settings.QUEUE_PREFIX,
              maxBytes: settings.RECORD_STORE_MAX_BYTES,
              maxAgeDays: settings.RECORD_STORE_MAX_AGE_DAYS,
            }),
        },
        {
          provide: RecordRetention,
          inject: [RecordStore, PollerMetrics, LOGGER],
          useFactory: (store: RecordStore, metrics: PollerMetrics, log: Logger) =>
            new RecordRetention({ store, metrics, log }),
        },
        {
          provide: LargeStatements,
          inject: [RecordStore, PollerMetrics, LOGGER],
          useFactory: (store: RecordStore, metrics: PollerMetrics, log: Logger) =>
            new LargeStatements({
              route: findRoute(config, 'settlementbus.statement.published.v1'),
              store,
              metrics,
              log,
            }),
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
          ) =>
            new Poller({
              participant: settings.PARTICIPANT,
              thresholds,
              lookbackDays: settings.TIMELINE_LOOKBACK_DAYS,
              lookaheadDays: settings.TIMELINE_LOOKAHEAD_DAYS,
              fetchesPerPoll: settings.SETTLEMENT_FETCHES_PER_POLL,
              market,
              largeStatements,
              queue,
              state,
              metrics,
              log,
            }),
        },
        {
          provide: Lease,
          inject: [REDIS],
          useFactory: (redis: Redis) =>
            new Lease({
              redis,
              leaseKey: keys.lease,
              fenceKey: keys.fence,
              holder: `${hostname()}:${process.pid}:${randomUUID()}`,
              ttlMs: settings.LEASE_TTL_MS,
              renewIntervalMs: settings.LEASE_TTL_MS * 0.3,
              acquireIntervalMs: settings.LEASE_TTL_MS * 0.1,
            }),
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
    await this.queue.close();
    await this.market.close();
    this.redis.disconnect();
  }
}

function readThresholds(settings: Settings, config: OperatorConfig): Thresholds {
  const found = findMarginThresholds(config, settings.PARTICIPANT);
  if (found === undefined) throw new UnknownParticipantError(settings.PARTICIPANT, settings.CONFIG_FILE);
  const { warning, breach, hysteresis } = found;
  return {
    warning: parseDecimal(warning),
    breach: parseDecimal(breach),
    hysteresis: parseDecimal(hysteresis),
  };
}

async function connectToRedis(
  settings: Settings,
  writableKey: string,
  log: Logger,
  readiness: Readiness,
): Promise<Redis> {
  const redis = connectRedis(settings.REDIS_URL, {
    name: `poller-${settings.PARTICIPANT}`,
    onError: (error) => log.warn({ err: error }, 'Redis connection failed'),
  });
  readiness.register('redis', () => requireWritableRedis(redis, writableKey));
  const production = settings.NODE_ENV === 'production';
  const warnings = await reportUnavailableQueue('poller', settings, log, () =>
    checkDurability(redis, { production }),
  );
  for (const warning of warnings) log.warn({ reason: warning }, 'Redis configuration unsafe');
  return redis;
}
