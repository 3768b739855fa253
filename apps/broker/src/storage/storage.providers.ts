import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import { checkDurability, type ConnectOptions, connectRedis } from '@ssb/redis-queue/redis';
import type { Settings } from '../settings.js';
import { MESSAGE_LOG, type LogEngine } from './message-log.js';
import { connectNats } from './nats/connect-nats.js';
import { NatsMessageLog } from './nats/nats-message-log.js';
import { ChangeNotifications } from './redis/change-notifications.js';
import { ChannelRepository } from './redis/channel.repository.js';
import { ReaderStartStore } from './redis/reader-start.store.js';
import { RedisEngine } from './redis/redis-engine.js';
import { RedisKeys } from './redis/redis-keys.js';
import { RedisMessageLog } from './redis/redis-message-log.js';
import { RoleRepository } from './redis/role.repository.js';
import { SessionStore } from './redis/session.store.js';
import { UsedTokenStore } from './redis/used-token.store.js';

/** Channels, roles and sessions are in Redis; LOG_ENGINE chooses where the log is. */
export function storageProviders(settings: Settings): Provider[] {
  return [
    { provide: RedisKeys, useValue: new RedisKeys(settings.REDIS_PREFIX) },
    {
      provide: RedisEngine,
      inject: [RedisKeys, LOGGER],
      useFactory: (keys: RedisKeys, log: Logger) => openRedis(settings, keys, log),
    },
    {
      provide: ChangeNotifications,
      // After RedisEngine, which refuses an unsafe Redis.
      inject: [RedisEngine, RedisKeys, LOGGER],
      useFactory: (_: RedisEngine, keys: RedisKeys, log: Logger) =>
        new ChangeNotifications(
          connect(settings, log, 'broker-notifications', { blocking: true, subscribes: true }),
          keys,
          log,
        ),
    },
    {
      provide: MESSAGE_LOG,
      inject: [RedisEngine, ChangeNotifications, RedisKeys, LOGGER],
      useFactory: (redis: RedisEngine, notifications: ChangeNotifications, keys: RedisKeys, log: Logger) =>
        openLog(settings, redis, notifications, keys, log),
    },
    ...[ChannelRepository, RoleRepository, SessionStore, UsedTokenStore].map((Store) => ({
      provide: Store,
      inject: [RedisEngine, RedisKeys],
      useFactory: (engine: RedisEngine, keys: RedisKeys) => new Store(engine, keys),
    })),
    {
      provide: ReaderStartStore,
      inject: [RedisEngine, RedisKeys],
      useFactory: (engine: RedisEngine, keys: RedisKeys) =>
        new ReaderStartStore(engine, keys, settings.OFFSET_LIFETIME_MS + settings.MAX_MESSAGE_AGE_MS),
    },
  ];
}

function connect(settings: Settings, log: Logger, name: string, options: Partial<ConnectOptions> = {}) {
  const onError = (error: Error): void => log.warn({ err: error }, 'Redis connection failed');
  return connectRedis(settings, { name, onError, ...options });
}

/** @throws UnsafeRedisError in production when this Redis could lose data */
async function openRedis(settings: Settings, keys: RedisKeys, log: Logger): Promise<RedisEngine> {
  const redis = connect(settings, log, 'broker');
  const requirements = {
    production: settings.NODE_ENV === 'production',
    writableKey: keys.writeProbe,
    acknowledgesWrites: true,
  };
  try {
    for (const detail of await checkDurability(redis, requirements)) {
      log.warn({ detail }, 'Redis configuration unsafe');
    }
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  return new RedisEngine(redis, settings.REDIS_TIMEOUT_MS);
}

/** @throws NatsSettingError, UnsafeNatsError */
async function openLog(
  settings: Settings,
  redis: RedisEngine,
  notifications: ChangeNotifications,
  keys: RedisKeys,
  log: Logger,
): Promise<LogEngine> {
  const options = {
    duplicateWindowMs: settings.DUPLICATE_WINDOW_MS,
    offsetLifetimeMs: settings.OFFSET_LIFETIME_MS,
    now: () => new Date(),
  };
  switch (settings.LOG_ENGINE) {
    case 'redis':
      return new RedisMessageLog(redis, notifications, keys, options);
    case 'nats': {
      const { NATS_PREFIX: prefix, NATS_TIMEOUT_MS: timeoutMs, NATS_REPLICAS: replicas } = settings;
      const connection = await connectNats(settings, log);
      return NatsMessageLog.open(connection, { ...options, prefix, timeoutMs, replicas }, log);
    }
  }
}
