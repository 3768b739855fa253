import { RedisPermissionError } from './connection-errors.js';
import type { RedisConnection } from './servers.js';

/** Redis responds, but does not store: its disk or memory is full, it is a replica, or it has lost its replicas. */
export class RedisNotWritableError extends Error {
  override readonly name = 'RedisNotWritableError';

  constructor(readonly reason: string) {
    super(`Redis refuses writes: ${reason}`);
  }
}

const EXPIRY_SECONDS = 60;

/**
 * Writes a small key that expires, because a PING succeeds on a Redis that refuses writes.
 * @param key below QUEUE_PREFIX; each app has its own
 * @throws RedisNotWritableError, or the error of the connection
 */
export async function assertWritableRedis(redis: RedisConnection, key: string): Promise<void> {
  try {
    await redis.set(key, '1', 'EX', EXPIRY_SECONDS);
  } catch (error) {
    // ioredis gives the errors of the server this name.
    if (error instanceof Error && error.name === 'ReplyError') throw new RedisNotWritableError(error.message);
    throw error;
  }
}

/** Checks that the user may write the key. Other failures of a write are not reported. @throws RedisPermissionError */
export async function assertPermission(redis: RedisConnection, key: string): Promise<void> {
  try {
    await assertWritableRedis(redis, key);
  } catch (error) {
    const reason = error instanceof RedisNotWritableError ? error.reason : '';
    if (reason.startsWith('NOPERM')) throw new RedisPermissionError(reason, { cause: error });
  }
}
