import { readFileSync } from 'node:fs';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { GatewayClient } from '@ssb/bus';
import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { LOGGER, readSecretFile, Readiness, readEncryptedFile, type Logger } from '@ssb/platform';
import { openDeadLetters, openEventQueue } from '@ssb/queue';
import { checkDurability, connectRedis } from '@ssb/redis';
import { PublisherMetrics } from './publisher-metrics.js';
import { EventPublisher } from './publish.js';
import { PublisherLifecycle } from './publisher.lifecycle.js';
import { readOperatorConfig, type Settings } from './settings.js';

const REDIS = Symbol('REDIS');
const GATEWAY = Symbol('GATEWAY');

@Module({})
export class PublisherModule {
  /** Reads CONFIG_FILE and the key before anything is connected. @throws OperatorConfigError, SecretFileError, EncryptedFileError, InvalidPrivateKeyError */
  static async register(settings: Settings): Promise<DynamicModule> {
    const config = readOperatorConfig(settings);
    const originKey = await readOriginKey(settings);
    return {
      module: PublisherModule,
      providers: [
        PublisherMetrics,
        {
          provide: REDIS,
          inject: [LOGGER],
          useFactory: (log: Logger) => connectToRedis(settings, log),
        },
        { provide: GATEWAY, useFactory: () => createGatewayClient(settings) },
        {
          provide: EventPublisher,
          inject: [GATEWAY, PublisherMetrics, LOGGER],
          useFactory: (gateway: GatewayClient, metrics: PublisherMetrics, log: Logger) =>
            new EventPublisher({ config, originKey, gateway, metrics, log }),
        },
        {
          provide: PublisherLifecycle,
          inject: [REDIS, GATEWAY, EventPublisher, PublisherMetrics, Readiness, LOGGER],
          useFactory: (
            redis: Redis,
            gateway: GatewayClient,
            publisher: EventPublisher,
            metrics: PublisherMetrics,
            readiness: Readiness,
            log: Logger,
          ) =>
            new PublisherLifecycle({
              redis,
              gateway,
              publisher,
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

/** The private key with which the bridge signs the origin of each event. */
async function readOriginKey(settings: Settings): Promise<PrivateKey> {
  const secret = await readSecretFile(settings.ORIGIN_KEY_SECRET_FILE);
  const content = await readEncryptedFile(settings.ORIGIN_KEY_FILE, secret);
  return parsePrivateKey(content.toString('utf8').trim());
}

function createGatewayClient(settings: Settings): GatewayClient {
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

async function connectToRedis(settings: Settings, log: Logger): Promise<Redis> {
  const redis = connectRedis(settings.REDIS_URL, {
    name: 'bus-publisher',
    // A BullMQ worker waits for Redis without a limit.
    blocking: true,
    onError: (error) => log.warn({ err: error }, 'Redis connection failed'),
  });
  const production = settings.NODE_ENV === 'production';
  for (const warning of await checkDurability(redis, { production }))
    log.warn({ reason: warning }, 'Redis configuration unsafe');
  return redis;
}
