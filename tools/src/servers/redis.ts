import { checkDurability, connectRedis, type RedisSettings, type RedisConnection } from '@ssb/redis-queue';
import { startPrivateRedis } from '@ssb/dev/redis-server';
import { ensurePrograms } from '../programs/ensure-programs.js';
import { REDIS } from '../programs/required-programs.js';
import { hideCredentials } from '../report/addresses.js';
import { type ObtainOptions, SupervisedServer } from './supervised-server.js';

/** No Redis could be found, started or installed. */
export class NoRedisError extends Error {
  override readonly name = 'NoRedisError';

  constructor() {
    super(
      [
        'There is no Redis. Do one of these:',
        '  1. set REDIS_URL to a running Redis (redis://host:port) with appendonly yes and maxmemory-policy noeviction;',
        '  2. install redis-server or valkey-server so that it is on PATH;',
        '  3. run this command as root on Debian or Ubuntu; it then installs Redis with apt-get.',
      ].join('\n'),
    );
  }
}

/** No Redis that accepts the credentials responds at an address. */
export class UnreachableRedisError extends Error {
  override readonly name = 'UnreachableRedisError';

  constructor(
    readonly address: string,
    readonly reason: string,
  ) {
    super(
      `The Redis at ${address} cannot be used: ${reason.replace(/\.+$/, '')}. Start it there, or set another REDIS_URL.`,
    );
  }
}

/** Settings of one server. */
export type RedisServerSettings = RedisSettings & { readonly REDIS_URL: string };

export interface ObtainedRedis {
  /** For the apps. The password of the private server is in a file. */
  readonly settings: RedisServerSettings;
  /** For commands of the same user, with the password of the private server. */
  readonly url: string;
  /** Where it comes from, for the progress line. */
  readonly source: string;
  /** The private server, which the caller stops; undefined with `REDIS_URL`. */
  readonly server?: SupervisedServer;
}

export interface ObtainRedisOptions extends ObtainOptions {
  /** Settings of the environment, if REDIS_URL is set. */
  readonly settings?: RedisServerSettings | undefined;
}

/**
 * Uses `REDIS_URL` if it is set. Otherwise starts a private server, which is installed with apt-get if necessary.
 * @throws NoRedisError
 */
export async function obtainRedis({
  settings,
  folder,
  searchPath,
  supervision,
  onProgress,
}: ObtainRedisOptions): Promise<ObtainedRedis> {
  if (settings) return { settings, url: settings.REDIS_URL, source: 'REDIS_URL' };
  ensurePrograms([REDIS], { searchPath, onProgress });
  const program = REDIS.find(searchPath);
  if (program === undefined) throw new NoRedisError();
  const supervised = new SupervisedServer({
    ...supervision,
    name: 'Redis',
    folder,
    signals: ['SIGTERM', 'SIGKILL'],
  });
  const server = await startPrivateRedis({ program, folder, observer: supervised.observer });
  supervised.supervise(server);
  return {
    settings: { REDIS_URL: `redis://127.0.0.1:${server.port}`, REDIS_PASSWORD_FILE: server.passwordFile },
    url: server.url,
    source: `${program}, private, port ${server.port}`,
    server: supervised,
  };
}

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Checks that a Redis responds.
 * @returns warnings about settings that could lose jobs, one sentence each
 * @throws UnreachableRedisError when it does not respond in time
 * @throws UnsafeRedisError in production, when there is a warning
 */
export async function checkRedis(
  server: RedisServerSettings | string,
  {
    production,
    timeoutMs = CONNECT_TIMEOUT_MS,
  }: { readonly production: boolean; readonly timeoutMs?: number },
): Promise<string[]> {
  let reason = `no response within ${timeoutMs / 1000} s`;
  const settings = typeof server === 'string' ? { REDIS_URL: server } : server;
  const redis = connectRedis(settings, {
    name: 'durability-check',
    // The error of a host name with several addresses has a code and no message.
    onError: (error) => (reason = error.message || String((error as NodeJS.ErrnoException).code)),
  });
  try {
    if (!(await isReady(redis, timeoutMs)))
      throw new UnreachableRedisError(hideCredentials(settings.REDIS_URL), reason);
    return await checkDurability(redis, { production, acknowledgesWrites: true });
  } finally {
    redis.disconnect();
  }
}

function isReady(redis: RedisConnection, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
