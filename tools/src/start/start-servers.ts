import { join } from 'node:path';
import type { ResourceStack } from '../lifecycle/resource-stack.js';
import type { Progress } from '../report/progress.js';
import { type ObtainedPostgres, obtainPostgres } from '../servers/postgres.js';
import { type ObtainedRedis, obtainRedis, type RedisServerSettings } from '../servers/redis.js';

export interface ServerOptions {
  /** Folder of the data of private servers. */
  readonly folder: string;
  /** Like PATH: where server programs are searched. */
  readonly searchPath: string;
  readonly progress: Progress;
  /** Called when Redis or PostgreSQL cannot be kept running. */
  readonly onGiveUp: (message: string) => void;
  /** A Redis to use instead of a private one. */
  readonly redis?: RedisServerSettings | undefined;
  /** A PostgreSQL server to use instead of a private one. */
  readonly databaseUrl?: string | undefined;
  readonly durable?: boolean;
}

/** Starts Redis and PostgreSQL, or connects to those of the options. `resources` receives each as soon as it runs. */
export async function startServers(
  { folder, searchPath, progress, onGiveUp, redis: settings, databaseUrl: url, durable }: ServerOptions,
  resources: ResourceStack,
): Promise<{ readonly redis: ObtainedRedis; readonly postgres: ObtainedPostgres }> {
  const print = (text: string): void => progress.print(text);
  const common = { searchPath, supervision: { print, onGiveUp }, onProgress: print };
  const redis = await progress.step(
    'Redis',
    () => obtainRedis({ ...common, settings, folder: join(folder, 'redis') }),
    ({ source }) => source,
  );
  await resources.defer(() => redis.server?.stop());
  const postgres = await progress.step(
    'PostgreSQL',
    () => obtainPostgres({ ...common, url, durable, folder: join(folder, 'postgres') }),
    ({ source }) => source,
  );
  await resources.defer(() => postgres.server?.stop());
  return { redis, postgres };
}
