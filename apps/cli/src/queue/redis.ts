import { queueSettings, readSettings, redisSettings } from '@ssb/platform';
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
import { CommandError, EXIT } from '../exit.js';
import { commandEnvironment } from '../settings.js';

const CONNECT_TIMEOUT_MS = 5_000;

const SERVERS = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER_NODES'] as const;

const definition = {
  ...redisSettings('the queue and the state of the poller'),
  QUEUE_PREFIX: queueSettings.QUEUE_PREFIX,
};

/** None of the settings names a server. */
export class UnsetRedisError extends CommandError {
  constructor() {
    super(
      'No Redis: set REDIS_URL, REDIS_SENTINELS or REDIS_CLUSTER_NODES, or run npm start in this clone.',
      EXIT.configuration,
    );
  }
}

/** Runs the work of a command on a connection. @throws CommandError when Redis does not respond or refuses, UnsetRedisError */
export async function withRedis(
  command: string,
  work: (redis: RedisConnection) => Promise<void>,
): Promise<void> {
  const environment = commandEnvironment();
  if (!SERVERS.some((name) => environment[name])) throw new UnsetRedisError();
  const { redis, lastError } = connect(environment, `busbridge-${command}`);
  try {
    if (!(await isReady(redis))) {
      const error = lastError();
      const failure = error ? explainConnectionError(redis, error) : noResponse(redis);
      throw toCommandError(redis, failure);
    }
    await assertDatabase(redis);
    await work(redis);
  } catch (error) {
    if (error instanceof RedisDatabaseError) throw new CommandError(error.message, EXIT.configuration);
    if (error instanceof CommandError || !(error instanceof ReplyError || redis.status !== 'ready'))
      throw error;
    throw toCommandError(redis, explainConnectionError(redis, error as Error, lastError()));
  } finally {
    redis.disconnect();
  }
}

const noResponse = (redis: RedisConnection): RedisUnavailableError =>
  new RedisUnavailableError(`no response within ${CONNECT_TIMEOUT_MS / 1_000} s`, {
    setting: settingOf(redis),
  });

/** @throws errors of the settings and of their files */
function connect(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): { redis: RedisConnection; lastError: () => Error | undefined } {
  let last: Error | undefined;
  const settings = readSettings(definition, environment);
  const redis = connectRedis(settings, { name, onError: (error) => (last = error) });
  return { redis, lastError: () => last };
}

function toCommandError(redis: RedisConnection, failure: RedisConnectionError): CommandError {
  return failure.startFault === 'configuration'
    ? new CommandError(failure.message, EXIT.configuration)
    : new CommandError(`${failure.message} Start it, or set another ${settingOf(redis)}.`, EXIT.unreachable);
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
