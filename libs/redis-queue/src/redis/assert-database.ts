import { type Redis, ReplyError } from 'ioredis';
import { RedisDatabaseError } from './connection-errors.js';
import type { RedisConnection } from './servers.js';

/** The error of Redis when the database does not exist or may not be used. */
const REFUSED = /^(ERR|NOPERM)\b/;

/**
 * Checks that the connection uses the database of its URL. When Redis refuses that, ioredis stays on database 0 and only emits an error.
 * @throws RedisDatabaseError; the error of the connection
 */
export async function assertDatabase(redis: RedisConnection): Promise<void> {
  // A cluster has one database.
  if (redis.isCluster) return;
  const database = (redis as Redis).options.db ?? 0;
  if (database === 0) return;
  try {
    await redis.select(database);
  } catch (error) {
    if (!(error instanceof ReplyError) || !REFUSED.test((error as Error).message)) throw error;
    throw new RedisDatabaseError(String(database), (error as Error).message, { cause: error });
  }
}
