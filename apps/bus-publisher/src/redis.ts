import type { Provider } from '@nestjs/common';
import type { ClientConnection } from '@ssb/net';
import { GATEWAY_CONNECTION, LOGGER, WEBHOOK_CONNECTION, type Logger } from '@ssb/platform';
import {
  checkDurability,
  connectRedis,
  DeadLetters,
  EventQueue,
  openDeadLetters,
  openEventQueue,
  reportUnavailableQueue,
  type RedisConnection,
} from '@ssb/redis-queue';
import type { PublisherKeys } from './publisher-keys.js';
import { PublicationReports } from './publishing/publication-reports.js';
import type { Settings } from './settings.js';

export const REDIS = Symbol('REDIS');
export const INTEGRITY_KEYS = Symbol('INTEGRITY_KEYS');

/** Written to check that Redis accepts writes. */
export const writableKey = (prefix: string): string => `${prefix}:writable:bus-publisher`;

/** Redis, the queue and its dead letters. */
export function queueProviders(settings: Settings, { integrity: keys }: PublisherKeys): Provider[] {
  const { QUEUE_PREFIX: prefix } = settings;
  return [
    { provide: INTEGRITY_KEYS, useValue: keys },
    {
      provide: REDIS,
      // The certificates of the gateway are read before the app waits for Redis.
      inject: [LOGGER, WEBHOOK_CONNECTION, GATEWAY_CONNECTION],
      useFactory: (log: Logger, webhook: ClientConnection) => connectToRedis(settings, log, webhook),
    },
    {
      provide: EventQueue,
      inject: [REDIS],
      useFactory: (redis: RedisConnection) => openEventQueue({ redis, prefix, keys }),
    },
    {
      provide: DeadLetters,
      inject: [REDIS, PublicationReports],
      useFactory: (redis: RedisConnection, reports: PublicationReports) =>
        openDeadLetters({ redis, prefix, keys, onEvicted: (count) => reports.reportRemovedLetters(count) }),
    },
  ];
}

async function connectToRedis(
  settings: Settings,
  log: Logger,
  webhook: ClientConnection,
): Promise<RedisConnection> {
  const redis = connectRedis(settings, {
    name: 'bus-publisher',
    // A BullMQ worker waits for Redis without a limit.
    blocking: true,
    onError: (error) => log.warn({ err: error }, 'Redis connection failed'),
  });
  const production = settings.NODE_ENV === 'production';
  const warnings = await reportUnavailableQueue(
    'bus-publisher',
    settings,
    log,
    () => checkDurability(redis, { production, writableKey: writableKey(settings.QUEUE_PREFIX) }),
    webhook,
  );
  for (const warning of warnings) log.warn({ reason: warning }, 'Redis configuration unsafe');
  return redis;
}
