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
import { EXIT } from '../exit.js';
import { fail } from '../fail.js';
import { commandEnvironment } from '../settings.js';

const CONNECT_TIMEOUT_MS = 5_000;

const SERVERS = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER_NODES'] as const;

const definition = {
  ...redisSettings('the queue and the state of the poller'),
  QUEUE_PREFIX: queueSettings.QUEUE_PREFIX,
};

/** Runs the work of a command on a connection. Fails with an error message when Redis does not respond. */
export async function withRedis(
  command: string,
  work: (redis: RedisConnection) => Promise<void>,
): Promise<void> {
  const environment = commandEnvironment();
  if (!SERVERS.some((name) => environment[name]))
    return fail(
      'No Redis: set REDIS_URL, REDIS_SENTINELS or REDIS_CLUSTER_NODES, or run npm start in this clone.',
      EXIT.configuration,
    );
  const connection = connect(environment, `busbridge-${command}`);
  if (connection === undefined) return;
  const { redis, lastError } = connection;
  try {
    if (!(await isReady(redis))) {
      const error = lastError();
      const failure = error ? explainConnectionError(redis, error) : noResponse(redis);
      return fail(describeFailure(redis, failure), EXIT.unreachable);
    }
    await assertDatabase(redis);
    await work(redis);
  } catch (error) {
    if (error instanceof RedisDatabaseError) fail(error.message);
    else if (error instanceof ReplyError || redis.status !== 'ready')
      fail(
        describeFailure(redis, explainConnectionError(redis, error as Error, lastError())),
        EXIT.unreachable,
      );
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
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): { redis: RedisConnection; lastError: () => Error | undefined } | undefined {
  let last: Error | undefined;
  try {
    const settings = readSettings(definition, environment);
    const redis = connectRedis(settings, { name, onError: (error) => (last = error) });
    return { redis, lastError: () => last };
  } catch (error) {
    const failure = describeStartFailure(error, environment);
    if (failure === undefined) throw error;
    fail(failure.problems.join(' '), EXIT.configuration);
    return undefined;
  }
}

function describeFailure(redis: RedisConnection, failure: RedisConnectionError): string {
  return failure.startFault === 'configuration'
    ? failure.message
    : `${failure.message} Start it, or set another ${settingOf(redis)}.`;
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
