import { type PrivateRedis, startPrivateRedis } from '@ssb/redis-server';
import { ensurePrograms } from '../programs/ensure-programs.js';
import { REDIS } from '../programs/required-programs.js';

/** No Redis could be found, started or installed. */
export class NoRedisError extends Error {
  override readonly name = 'NoRedisError';

  constructor() {
    super(
      [
        'There is no Redis. Three ways to get one:',
        '  1. set REDIS_URL to one that runs (redis://host:port), with appendonly yes and maxmemory-policy noeviction;',
        '  2. install redis-server or valkey-server so that it is on PATH;',
        '  3. run this as root on Debian or Ubuntu, and it is installed by apt-get.',
      ].join('\n'),
    );
  }
}

export interface ObtainedRedis {
  readonly url: string;
  /** How it came about, for the progress line. */
  readonly how: string;
  /** The server, when it is ours to stop and restart. */
  readonly own?: PrivateRedis;
}

export interface ObtainRedisOptions {
  /** `REDIS_URL` of the environment. */
  readonly url?: string;
  readonly folder: string;
  readonly searchPath: string;
  /** Told before something slow begins. */
  readonly onProgress?: (what: string) => void;
}

/** `REDIS_URL` if set; else a server from PATH, started privately; else one installed by apt; else an error that says how. */
export async function obtainRedis({
  url,
  folder,
  searchPath,
  onProgress,
}: ObtainRedisOptions): Promise<ObtainedRedis> {
  if (url) return { url, how: 'REDIS_URL' };
  ensurePrograms([REDIS], { searchPath, onProgress });
  const program = REDIS.find(searchPath);
  if (program === undefined) throw new NoRedisError();
  const own = await startPrivateRedis({ program, folder });
  return { url: own.url, how: `${program}, private, port ${own.port}`, own };
}
