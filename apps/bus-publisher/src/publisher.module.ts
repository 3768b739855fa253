import { readFileSync } from 'node:fs';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { GatewayClient } from '@ssb/bus';
import { LOGGER, Readiness, type Logger } from '@ssb/platform';
import { openDeadLetters, openEventQueue } from '@ssb/queue';
import { checkDurability, connectRedis } from '@ssb/redis';
import { PublisherMetrics } from './publisher-metrics.js';
import { openOriginKey } from './origin-key.js';
import { Publish } from './publish.js';
import { PublisherWork } from './queue-worker.js';
import { operatorConfig, type Settings } from './settings.js';

const REDIS = Symbol('REDIS');
const GATEWAY = Symbol('GATEWAY');

@Module({})
export class PublisherModule {
  /** Reads the operator's file and the key first: what is wrong with them shows before anything is connected. */
  static async register(settings: Settings): Promise<DynamicModule> {
    const config = operatorConfig(settings);
    const originKey = await openOriginKey(settings.ORIGIN_KEY_FILE, settings.ORIGIN_KEY_SECRET_FILE);
    return {
      module: PublisherModule,
      providers: [
        PublisherMetrics,
        {
          provide: REDIS,
          inject: [LOGGER],
          useFactory: (log: Logger) => openRedis(settings, log),
        },
        { provide: GATEWAY, useFactory: () => openGateway(settings) },
        {
          provide: Publish,
          inject: [GATEWAY, PublisherMetrics, LOGGER],
          useFactory: (gateway: GatewayClient, metrics: PublisherMetrics, log: Logger) =>
            new Publish({ config, originKey, gateway, metrics, log }),
        },
        {
          provide: PublisherWork,
          inject: [REDIS, GATEWAY, Publish, PublisherMetrics, Readiness, LOGGER],
          useFactory: (
            redis: Redis,
            gateway: GatewayClient,
            publish: Publish,
            metrics: PublisherMetrics,
            readiness: Readiness,
            log: Logger,
          ) =>
            new PublisherWork({
              redis,
              gateway,
              publish,
              metrics,
              readiness,
              log,
              queue: openEventQueue(redis, settings.QUEUE_PREFIX),
              deadLetters: openDeadLetters(redis, settings.QUEUE_PREFIX),
              prefix: settings.QUEUE_PREFIX,
              concurrency: settings.CONCURRENCY,
              stuckAfterMs: settings.STUCK_AFTER_MS,
            }),
        },
      ],
    };
  }
}

function openGateway(settings: Settings): GatewayClient {
  const caFile = settings.GATEWAY_CA_FILE;
  return new GatewayClient({
    baseUrl: settings.GATEWAY_URL,
    username: settings.GATEWAY_USERNAME,
    password: settings.GATEWAY_PASSWORD,
    timeoutMs: settings.GATEWAY_TIMEOUT_MS,
    connections: settings.CONCURRENCY,
    ...(caFile !== undefined && { ca: readFileSync(caFile, 'utf8') }),
  });
}

async function openRedis(settings: Settings, log: Logger): Promise<Redis> {
  const redis = connectRedis(settings.REDIS_URL, {
    name: 'bus-publisher',
    // A worker waits for Redis however long it is away.
    blocking: true,
    onError: (error) => log.warn({ err: error }, `Redis: ${error.message}`),
  });
  const production = settings.NODE_ENV === 'production';
  for (const warning of await checkDurability(redis, { production })) log.warn(warning);
  return redis;
}
