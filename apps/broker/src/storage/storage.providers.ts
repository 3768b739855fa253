import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import { checkDurability, connectRedis } from '@ssb/redis';
import { connectNats } from './nats/connect-nats.js';
import { NatsMessageLog } from './nats/nats-message-log.js';
import { MESSAGE_LOG, type LogEngine } from './message-log.js';
import { ChannelRegister } from './redis/channel.repository.js';
import { Keys } from './redis/redis-keys.js';
import { Notices } from './redis/change-notifications.js';
import { RedisEngine } from './redis/redis-engine.js';
import { RedisMessageLog } from './redis/redis-message-log.js';
import { RoleRegister } from './redis/role.repository.js';
import { SessionRegister } from './redis/session.store.js';
import { UsedOnce } from './redis/used-token.store.js';
import type { Settings } from '../settings.js';

/** Channels, roles and sessions are in Redis; the log is in the engine that the settings name. */
export function storageProviders(settings: Settings): Provider[] {
  return [
    { provide: Keys, useValue: new Keys(settings.REDIS_PREFIX) },
    { provide: RedisEngine, inject: [LOGGER], useFactory: (log: Logger) => openRedis(settings, log) },
    {
      provide: Notices,
      // After the engine, which refuses an unsafe Redis.
      inject: [RedisEngine, Keys, LOGGER],
      useFactory: (_: RedisEngine, keys: Keys, log: Logger) =>
        new Notices(connect(settings, log, 'broker-wake-ups', true), keys, log),
    },
    {
      provide: MESSAGE_LOG,
      inject: [RedisEngine, Notices, Keys, LOGGER],
      useFactory: (redis: RedisEngine, notices: Notices, keys: Keys, log: Logger) =>
        openLog(settings, redis, notices, keys, log),
    },
    ...[ChannelRegister, RoleRegister, SessionRegister, UsedOnce].map((Register) => ({
      provide: Register,
      inject: [RedisEngine, Keys],
      useFactory: (engine: RedisEngine, keys: Keys) => new Register(engine, keys),
    })),
  ];
}

function connect({ REDIS_URL }: Settings, log: Logger, name: string, blocking: boolean) {
  const onError = (error: Error): void => log.warn({ err: error }, 'Redis is away; connecting again');
  return connectRedis(REDIS_URL, { name, blocking, onError });
}

/** @throws UnsafeRedisError in production, when this Redis could lose what it is given */
async function openRedis(settings: Settings, log: Logger): Promise<RedisEngine> {
  const redis = connect(settings, log, 'broker', false);
  const production = settings.NODE_ENV === 'production';
  try {
    for (const warning of await checkDurability(redis, { production, confirms: true })) log.warn(warning);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  return new RedisEngine(redis, settings.REDIS_PATIENCE_MS);
}

/** @throws NatsSettingError, UnsafeNatsError */
async function openLog(
  settings: Settings,
  redis: RedisEngine,
  notices: Notices,
  keys: Keys,
  log: Logger,
): Promise<LogEngine> {
  const { DUPLICATE_WINDOW_MS: duplicateWindowMs, POSITION_LIFE_MS: positionLifeMs } = settings;
  const options = { duplicateWindowMs, positionLifeMs, now: () => new Date() };
  switch (settings.LOG_ENGINE) {
    case 'redis':
      return new RedisMessageLog(redis, notices, keys, options);
    case 'nats': {
      const { NATS_PREFIX: prefix, NATS_PATIENCE_MS: patienceMs, NATS_REPLICAS: replicas } = settings;
      const connection = await connectNats(settings, log);
      return NatsMessageLog.open(connection, { ...options, prefix, patienceMs, replicas }, log);
    }
  }
}
