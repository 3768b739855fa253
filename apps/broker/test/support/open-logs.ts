import { connect } from '@nats-io/transport-node';
import { createLogger } from '@ssb/platform';
import { connectRedis } from '@ssb/redis-queue';
import { NatsMessageLog } from '../../src/storage/nats/nats-message-log.js';
import { RedisKeys } from '../../src/storage/redis/redis-keys.js';
import { ChangeNotifications } from '../../src/storage/redis/change-notifications.js';
import { RedisEngine } from '../../src/storage/redis/redis-engine.js';
import { RedisMessageLog } from '../../src/storage/redis/redis-message-log.js';

/** Longer than any healthy call on a busy machine. */
const LONG_TIMEOUT_MS = 20_000;

export const LOG_OPTIONS = {
  /** Outlasts a test on a busy machine. */
  duplicateWindowMs: 120_000,
  offsetLifetimeMs: 7_200_000,
  now: () => new Date(),
};

const quiet = createLogger({ name: 'test', level: 'silent', format: 'json' });

/** Opens a log on Redis with its own connections. */
export async function openRedis(
  url: string,
  { timeoutMs = LONG_TIMEOUT_MS, ...more }: Partial<typeof LOG_OPTIONS> & { timeoutMs?: number } = {},
) {
  const redis = connectRedis(url, { name: 'test' });
  const keys = new RedisKeys('test:');
  const notifications = new ChangeNotifications(
    connectRedis(url, { name: 'test-notifications', blocking: true, subscribes: true }),
    keys,
    quiet,
  );
  await notifications.start();
  const engine = new RedisEngine(redis, timeoutMs);
  const log = new RedisMessageLog(engine, notifications, keys, { ...LOG_OPTIONS, ...more });
  const close = (): Promise<void> => {
    notifications.stop();
    engine.close();
    return Promise.resolve();
  };
  return {
    log,
    ping: () => log.ping(),
    checkWrite: () => log.checkWrite(),
    close,
    redis,
    keys,
  };
}

/** Opens a log on NATS with its own connection. */
export async function openNats(
  servers: string | string[],
  {
    timeoutMs = LONG_TIMEOUT_MS,
    replicas = 1,
    ...more
  }: Partial<typeof LOG_OPTIONS> & { timeoutMs?: number; replicas?: number } = {},
) {
  const connection = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  const options = { ...LOG_OPTIONS, ...more, prefix: 'test', timeoutMs, replicas };
  const log = await NatsMessageLog.open(connection, options, quiet);
  return {
    log,
    ping: () => log.ping(),
    checkWrite: () => log.checkWrite(),
    close: () => log.close(),
    connection,
  };
}
