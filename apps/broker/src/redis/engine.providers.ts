import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import { checkDurability, connectRedis } from '@ssb/redis';
import type { Settings } from '../settings.js';
import { ChannelRegister } from './channel-register.js';
import { Connections } from './connections.js';
import { Keys } from './keys.js';
import { Notices } from './notices.js';
import { RedisEngine } from './redis-engine.js';
import { RoleRegister } from './role-register.js';
import { SessionRegister } from './session-register.js';
import { UsedOnce } from './used-once.js';

/** What is kept in Redis with every engine of the log. */
export function engineProviders(settings: Settings): Provider[] {
  return [
    { provide: Keys, useValue: new Keys(settings.REDIS_PREFIX) },
    {
      provide: Connections,
      inject: [LOGGER],
      useFactory: (log: Logger) => openConnections(settings, log),
    },
    {
      provide: RedisEngine,
      inject: [Connections],
      useFactory: ({ commands }: Connections) => new RedisEngine(commands, settings.REDIS_PATIENCE_MS),
    },
    {
      provide: Notices,
      inject: [Connections, Keys, LOGGER],
      useFactory: ({ wakeUps }: Connections, keys: Keys, log: Logger) => new Notices(wakeUps, keys, log),
    },
    ...[ChannelRegister, RoleRegister, SessionRegister, UsedOnce].map((Register) => ({
      provide: Register,
      inject: [RedisEngine, Keys],
      useFactory: (engine: RedisEngine, keys: Keys) => new Register(engine, keys),
    })),
  ];
}

/** @throws UnsafeRedisError in production, when this Redis could lose what it is given */
async function openConnections(settings: Settings, log: Logger): Promise<Connections> {
  const onError = (error: Error): void => {
    log.warn({ err: error }, 'Redis is away; connecting again');
  };
  const connections = new Connections(
    connectRedis(settings.REDIS_URL, { name: 'broker', onError }),
    connectRedis(settings.REDIS_URL, { name: 'broker-wake-ups', blocking: true, onError }),
  );
  try {
    const production = settings.NODE_ENV === 'production';
    for (const warning of await checkDurability(connections.commands, { production, confirms: true }))
      log.warn(warning);
    return connections;
  } catch (error) {
    connections.close();
    throw error;
  }
}
