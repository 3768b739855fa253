import { connect } from '@nats-io/transport-node';
import { createLogger } from '@ssb/platform';
import { connectRedis } from '@ssb/redis';
import { openNatsLog } from '../nats/open-nats-log.js';
import type { MessageLog } from '../ports/message-log.js';
import { checkWrites } from '../redis/check-writes.js';
import { Connections } from '../redis/connections.js';
import { Keys } from '../redis/keys.js';
import { Notices } from '../redis/notices.js';
import { RedisEngine } from '../redis/redis-engine.js';
import { RedisMessageLog } from '../redis/redis-message-log.js';

export interface OpenLog {
  readonly log: MessageLog;
  readonly close: () => Promise<void>;
}

export const LOG_OPTIONS = {
  /** Short enough for a test to outwait. */
  duplicateWindowMs: 300,
  positionLifeMs: 7_200_000,
  now: () => new Date(),
};

const quiet = createLogger({ name: 'test', level: 'silent', format: 'json' });

/** A broker's log on Redis, with connections of its own. */
export async function openRedis(
  url: string,
  { patienceMs = 3_000, ...more }: Partial<typeof LOG_OPTIONS> & { patienceMs?: number } = {},
) {
  const connections = new Connections(
    connectRedis(url, { name: 'test' }),
    connectRedis(url, { name: 'test-wake-ups', blocking: true }),
  );
  const keys = new Keys('test:');
  const notices = new Notices(connections.wakeUps, keys, quiet);
  await notices.start();
  const engine = new RedisEngine(connections.commands, patienceMs);
  const log = new RedisMessageLog(engine, notices, keys, { ...LOG_OPTIONS, ...more });
  const close = (): Promise<void> => {
    notices.stop();
    connections.close();
    return Promise.resolve();
  };
  return { log, check: () => checkWrites(engine, keys), close, redis: connections.commands, keys };
}

/** A broker's log on NATS, with a connection of its own. */
export async function openNats(
  servers: string | string[],
  {
    patienceMs = 3_000,
    replicas = 1,
    ...more
  }: Partial<typeof LOG_OPTIONS> & { patienceMs?: number; replicas?: number } = {},
) {
  const connection = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  const options = { ...LOG_OPTIONS, ...more, prefix: 'test', patienceMs, replicas };
  const { log, check, close } = await openNatsLog(connection, options, quiet);
  return { log, check, close, connection };
}
