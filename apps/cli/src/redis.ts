import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeStartFailure, readSettings, redisSettings } from '@ssb/platform';
import {
  connectRedis,
  explainConnectionError,
  type RedisConnectionError,
  RedisDatabaseError,
  RedisRefusedError,
  RedisUnavailableError,
  requireDatabase,
} from '@ssb/redis';
import { ReplyError, type Redis } from 'ioredis';
import { fail } from './fail.js';
import { environment } from './settings.js';

const CONNECT_TIMEOUT_MS = 5_000;

const definition = redisSettings('the queue and the state of the poller');

/** Runs the work of a command on a connection. Without a Redis that answers, it writes a sentence and the exit status is 1. */
export async function withRedis(command: string, work: (redis: Redis) => Promise<void>): Promise<void> {
  const url = environment['REDIS_URL'] || findRunningRedis();
  if (url === undefined)
    return fail('No Redis: set REDIS_URL, or run this in the folder of a running npm start.');
  const connection = connect(url, `busbridge-${command}`);
  if (connection === undefined) return;
  const { redis, lastError } = connection;
  try {
    if (!(await isReady(redis))) {
      const error = lastError();
      const failure = error ? explainConnectionError(redis, error) : NO_ANSWER;
      return fail(describeFailure(failure));
    }
    await requireDatabase(redis);
    await work(redis);
  } catch (error) {
    if (error instanceof RedisDatabaseError) fail(error.message);
    else if (error instanceof ReplyError || redis.status !== 'ready')
      fail(describeFailure(explainConnectionError(redis, error as Error, lastError())));
    else throw error;
  } finally {
    redis.disconnect();
  }
}

const NO_ANSWER = new RedisUnavailableError(`no answer within ${CONNECT_TIMEOUT_MS / 1_000} s`);

/** Undefined, after a sentence, when the settings or their files are wrong. */
function connect(
  url: string,
  name: string,
): { redis: Redis; lastError: () => Error | undefined } | undefined {
  let last: Error | undefined;
  try {
    const settings = readSettings(definition, { ...environment, REDIS_URL: url });
    const redis = connectRedis(settings, { name, onError: (error) => (last = error) });
    return { redis, lastError: () => last };
  } catch (error) {
    const failure = describeStartFailure(error, environment);
    if (failure === undefined) throw error;
    fail(failure.problems.join(' '));
    return undefined;
  }
}

function describeFailure(failure: RedisConnectionError): string {
  if (failure instanceof RedisRefusedError)
    return `${failure.message} Correct REDIS_URL, or REDIS_USERNAME and REDIS_PASSWORD_FILE.`;
  return failure.startFault === 'configuration'
    ? failure.message
    : `${failure.message} Start it, or set another REDIS_URL.`;
}

/** The URL that a running `npm start` keeps in the current folder. */
function findRunningRedis(): string | undefined {
  const file = join('.data', 'redis.url');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** False after five seconds, or when the configuration is wrong. */
function isReady(redis: Redis): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (ready: boolean): void => {
      clearTimeout(timer);
      resolve(ready);
    };
    const timer = setTimeout(() => finish(false), CONNECT_TIMEOUT_MS);
    redis.once('ready', () => finish(true));
    redis.on('error', (error: Error) => {
      if (explainConnectionError(redis, error).startFault === 'configuration') finish(false);
    });
  });
}
