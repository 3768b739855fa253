import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connectRedis,
  explainConnectionError,
  RedisDatabaseError,
  RedisRefusedError,
  RedisUnavailableError,
  requireDatabase,
} from '@ssb/redis';
import type { Redis } from 'ioredis';
import { fail } from './fail.js';
import { environment } from './settings.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** Runs the work of a command on a connection. Without a Redis that answers, it writes a sentence and the exit status is 1. */
export async function withRedis(command: string, work: (redis: Redis) => Promise<void>): Promise<void> {
  const url = environment['REDIS_URL'] || findRunningRedis();
  if (url === undefined)
    return fail('No Redis: set REDIS_URL, or run this in the folder of a running npm start.');
  let failure: Error = new RedisUnavailableError(`no answer within ${CONNECT_TIMEOUT_MS / 1_000} s`);
  const redis = connectRedis(url, {
    name: `busbridge-${command}`,
    onError: (error) => (failure = explainConnectionError(error)),
  });
  try {
    if (!(await isReady(redis))) return fail(`${failure.message} ${adviseOn(failure)}`);
    await requireDatabase(redis);
    await work(redis);
  } catch (error) {
    if (!(error instanceof RedisDatabaseError)) throw error;
    fail(error.message);
  } finally {
    redis.disconnect();
  }
}

function adviseOn(failure: Error): string {
  return failure instanceof RedisRefusedError ? 'Correct REDIS_URL.' : 'Start it, or set another REDIS_URL.';
}

/** The URL that a running `npm start` keeps in the current folder. */
function findRunningRedis(): string | undefined {
  const file = join('.data', 'redis.url');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** False after five seconds, or when Redis refuses the user name or password. */
function isReady(redis: Redis): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (ready: boolean): void => {
      clearTimeout(timer);
      resolve(ready);
    };
    const timer = setTimeout(() => finish(false), CONNECT_TIMEOUT_MS);
    redis.once('ready', () => finish(true));
    redis.on('error', (error: Error) => {
      if (explainConnectionError(error) instanceof RedisRefusedError) finish(false);
    });
  });
}
