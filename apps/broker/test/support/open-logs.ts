import { connect } from '@nats-io/transport-node';
import { createLogger } from '@ssb/platform';
import { connectRedis } from '@ssb/redis';
import { NatsMessageLog } from '../../src/storage/nats/nats-message-log.js';
import type { MessageLog } from '../../src/storage/message-log.js';
import { RedisKeys } from '../../src/storage/redis/redis-keys.js';
import { ChangeNotifications } from '../../src/storage/redis/change-notifications.js';
import { RedisEngine } from '../../src/storage/redis/redis-engine.js';
import { RedisMessageLog } from '../../src/storage/redis/redis-message-log.js';

export interface OpenLog {
  readonly log: MessageLog;
  readonly close: () => Promise<void>;
}

/** Longer than any healthy call takes, also on a machine with much else to do. */
const PATIENT_MS = 20_000;

export const LOG_OPTIONS = {
  /** Outlasts a test, also on a machine with much else to do. */
  duplicateWindowMs: 120_000,
  positionLifetimeMs: 7_200_000,
  now: () => new Date(),
};

const quiet = createLogger({ name: 'test', level: 'silent', format: 'json' });

/** A broker's log on Redis, with connections of its own. */
export async function openRedis(
  url: string,
  { timeoutMs = PATIENT_MS, ...more }: Partial<typeof LOG_OPTIONS> & { timeoutMs?: number } = {},
) {
  const redis = connectRedis(url, { name: 'test' });
  const keys = new RedisKeys('test:');
  const notices = new ChangeNotifications(
    connectRedis(url, { name: 'test-wake-ups', blocking: true }),
    keys,
    quiet,
  );
  await notices.start();
  const engine = new RedisEngine(redis, timeoutMs);
  const log = new RedisMessageLog(engine, notices, keys, { ...LOG_OPTIONS, ...more });
  const close = (): Promise<void> => {
    notices.stop();
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

/** A broker's log on NATS, with a connection of its own. */
export async function openNats(
  servers: string | string[],
  {
    timeoutMs = PATIENT_MS,
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
