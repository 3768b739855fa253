import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeStartFailure, queueSettings, readSettings, redisSettings } from '@ssb/platform';
import {
  connectRedis,
  explainConnectionError,
  onConnectionError,
  type RedisConnectionError,
  RedisDatabaseError,
  RedisUnavailableError,
  assertDatabase,
  settingOf,
  type RedisConnection,
} from '@ssb/redis-queue';
import { ReplyError } from 'ioredis';
import { fail } from '../fail.js';
import { environment } from '../settings.js';

const CONNECT_TIMEOUT_MS = 5_000;

const SERVERS = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER_NODES'] as const;

const definition = {
  ...redisSettings('the queue and the state of the poller'),
  QUEUE_PREFIX: queueSettings.QUEUE_PREFIX,
};

/** Runs the work of a command on a connection. Fails with an error message and exit status 1 when Redis does not respond. */
export async function withRedis(
  command: string,
  work: (redis: RedisConnection) => Promise<void>,
): Promise<void> {
  const setting = SERVERS.find((name) => environment[name]);
  const running = setting === undefined ? findRunningRedis() : undefined;
  if (setting === undefined && running === undefined)
    return fail(
      'No Redis: set REDIS_URL, REDIS_SENTINELS or REDIS_CLUSTER_NODES, or run this in the folder of a running npm start.',
    );
  const connection = connect(running === undefined ? {} : { REDIS_URL: running }, `busbridge-${command}`);
  if (connection === undefined) return;
  const { redis, lastError } = connection;
  try {
    if (!(await isReady(redis))) {
      const error = lastError();
      const failure = error ? explainConnectionError(redis, error) : noResponse(redis);
      return fail(describeFailure(redis, failure));
    }
    await assertDatabase(redis);
    await work(redis);
  } catch (error) {
    if (error instanceof RedisDatabaseError) fail(error.message);
    else if (error instanceof ReplyError || redis.status !== 'ready')
      fail(describeFailure(redis, explainConnectionError(redis, error as Error, lastError())));
    else throw error;
  } finally {
    redis.disconnect();
  }
}

const noResponse = (redis: RedisConnection): RedisUnavailableError =>
  new RedisUnavailableError(`no response within ${CONNECT_TIMEOUT_MS / 1_000} s`, {
    setting: settingOf(redis),
  });

/** Undefined, after a sentence, when the settings or their files are wrong. */
function connect(
  running: Readonly<Record<string, string>>,
  name: string,
): { redis: RedisConnection; lastError: () => Error | undefined } | undefined {
  let last: Error | undefined;
  try {
    const settings = readSettings(definition, { ...environment, ...running });
    const redis = connectRedis(settings, { name, onError: (error) => (last = error) });
    return { redis, lastError: () => last };
  } catch (error) {
    const failure = describeStartFailure(error, environment);
    if (failure === undefined) throw error;
    fail(failure.problems.join(' '));
    return undefined;
  }
}

function describeFailure(redis: RedisConnection, failure: RedisConnectionError): string {
  return failure.startFault === 'configuration'
    ? failure.message
    : `${failure.message} Start it, or set another ${settingOf(redis)}.`;
}

/** The URL that a running `npm start` keeps in the current folder. */
function findRunningRedis(): string | undefined {
  const file = join('.data', 'redis.url');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** False after five seconds, or when the configuration is wrong. */
function isReady(redis: RedisConnection): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (ready: boolean): void => {
      clearTimeout(timer);
      resolve(ready);
    };
    const timer = setTimeout(() => finish(false), CONNECT_TIMEOUT_MS);
    redis.once('ready', () => finish(true));
    onConnectionError(redis, (error) => {
      if (explainConnectionError(redis, error).startFault === 'configuration') finish(false);
    });
  });
}
