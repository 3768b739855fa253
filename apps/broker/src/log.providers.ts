import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import { connectNats } from './nats/connect-nats.js';
import { openNatsLog } from './nats/open-nats-log.js';
import { LOG_ENGINE, type LogEngine } from './ports/log-engine.js';
import { MESSAGE_LOG, type MessageLog } from './ports/message-log.js';
import { checkAnswers, checkWrites } from './redis/checks.js';
import { Keys } from './redis/keys.js';
import { Notices } from './redis/notices.js';
import { RedisEngine } from './redis/redis-engine.js';
import { RedisMessageLog } from './redis/redis-message-log.js';
import type { Settings } from './settings.js';

const now = (): Date => new Date();

/** The log, on the engine that the settings choose. Channels, roles and sessions are in Redis with either. */
export function logProviders(settings: Settings): Provider[] {
  return [
    {
      provide: LOG_ENGINE,
      inject: [RedisEngine, Notices, Keys, LOGGER],
      useFactory: (redis: RedisEngine, notices: Notices, keys: Keys, log: Logger): Promise<LogEngine> => {
        switch (settings.LOG_ENGINE) {
          case 'redis':
            return Promise.resolve(onRedis(settings, redis, notices, keys));
          case 'nats':
            return onNats(settings, log);
        }
      },
    },
    { provide: MESSAGE_LOG, inject: [LOG_ENGINE], useFactory: ({ log }: LogEngine): MessageLog => log },
  ];
}

/** On the connections that the registers use: these are looked after, and closed, by whoever opened them. */
function onRedis(settings: Settings, redis: RedisEngine, notices: Notices, keys: Keys): LogEngine {
  const { DUPLICATE_WINDOW_MS: duplicateWindowMs, POSITION_LIFE_MS: positionLifeMs } = settings;
  return {
    name: 'log on Redis',
    log: new RedisMessageLog(redis, notices, keys, { duplicateWindowMs, positionLifeMs, now }),
    ping: () => checkAnswers(redis),
    check: () => checkWrites(redis, keys),
    close: () => Promise.resolve(),
  };
}

/** @throws UnsafeNatsError in production, when this server could not keep what the broker promises */
async function onNats(settings: Settings, log: Logger): Promise<LogEngine> {
  const connection = await connectNats(settings, log);
  const options = {
    prefix: settings.NATS_PREFIX,
    patienceMs: settings.NATS_PATIENCE_MS,
    replicas: settings.NATS_REPLICAS,
    duplicateWindowMs: settings.DUPLICATE_WINDOW_MS,
    positionLifeMs: settings.POSITION_LIFE_MS,
    now,
  };
  const opened = await openNatsLog(connection, options, log);
  return {
    name: 'log on NATS',
    log: opened.log,
    ping: opened.ping,
    check: opened.check,
    close: opened.close,
  };
}
