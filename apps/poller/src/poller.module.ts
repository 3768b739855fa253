import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { Redis } from 'ioredis';
import { parseDecimal } from '@ssb/market';
import { findMarginThresholds } from '@ssb/operator-config';
import { LOGGER, Readiness, type Logger } from '@ssb/platform';
import { openEventQueue, type EventQueue } from '@ssb/queue';
import { checkDurability, connectRedis } from '@ssb/redis';
import type { Thresholds } from './domain/margin.js';
import { Lease } from './lease/lease.js';
import { openMarketClients, type MarketClients } from './market/market-clients.js';
import { PollerMetrics } from './poller-metrics.js';
import { Poller } from './poll.js';
import { PollScheduler } from './poll-scheduler.js';
import { readOperatorConfig, type Settings } from './settings.js';
import { pollerKeys, PollerStateStore } from './state/poller-state.js';

const REDIS = Symbol('REDIS');
const QUEUE = Symbol('QUEUE');
const MARKET = Symbol('MARKET');

/** CONFIG_FILE has no margin thresholds for the participant. */
export class UnknownParticipantError extends Error {
  override readonly name = 'UnknownParticipantError';

  constructor(
    readonly participant: string,
    readonly file: string,
  ) {
    super(`${file} has no margin thresholds for participant ${participant}; add it under participants.`);
  }
}

@Module({})
export class PollerModule implements OnModuleDestroy, OnApplicationShutdown {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(MARKET) private readonly market: MarketClients,
  ) {}

  static register(settings: Settings): DynamicModule {
    const keys = pollerKeys(settings.PARTICIPANT);
    const thresholds = readThresholds(settings);
    return {
      module: PollerModule,
      imports: [ScheduleModule.forRoot()],
      providers: [
        PollerMetrics,
        PollScheduler,
        {
          provide: REDIS,
          inject: [LOGGER, Readiness],
          useFactory: (log: Logger, readiness: Readiness) => connectToRedis(settings, log, readiness),
        },
        {
          provide: QUEUE,
          inject: [REDIS],
          useFactory: (redis: Redis) => openEventQueue(redis, settings.QUEUE_PREFIX),
        },
        {
          provide: MARKET,
          inject: [REDIS, PollerMetrics, LOGGER],
          useFactory: (redis: Redis, metrics: PollerMetrics, log: Logger) =>
            openMarketClients(settings, { redis, metrics, log }),
        },
        {
          provide: Poller,
          inject: [REDIS, QUEUE, MARKET, PollerMetrics, LOGGER],
          useFactory: (
            redis: Redis,
            queue: EventQueue,
            market: MarketClients,
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
              queue,
              state: new PollerStateStore(redis, keys),
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

  /** Runs after the scheduler's hook. Polls that wait for the request budget must not delay the shutdown. */
  onModuleDestroy(): void {
    this.market.stopWaiting();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
    await this.market.close();
    this.redis.disconnect();
  }
}

function readThresholds(settings: Settings): Thresholds {
  const found = findMarginThresholds(readOperatorConfig(settings), settings.PARTICIPANT);
  if (found === undefined) throw new UnknownParticipantError(settings.PARTICIPANT, settings.CONFIG_FILE);
  const { warning, breach, hysteresis } = found;
  return {
    warning: parseDecimal(warning),
    breach: parseDecimal(breach),
    hysteresis: parseDecimal(hysteresis),
  };
}

async function connectToRedis(settings: Settings, log: Logger, readiness: Readiness): Promise<Redis> {
  const redis = connectRedis(settings.REDIS_URL, {
    name: `poller-${settings.PARTICIPANT}`,
    onError: (error) => log.warn({ err: error }, 'Redis connection failed'),
  });
  readiness.register('redis', async () => {
    await redis.ping();
  });
  const production = settings.NODE_ENV === 'production';
  for (const warning of await checkDurability(redis, { production }))
    log.warn({ reason: warning }, 'Redis configuration unsafe');
  return redis;
}
