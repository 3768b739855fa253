import {
  ConfigurationError,
  parseRedisAddresses,
  type RedisAddress,
  type RedisAddresses,
} from '@ssb/platform';
import { type Cluster, Command, type Redis } from 'ioredis';

/** A connection to one server, to the master that Sentinels know, or to a cluster. */
export type RedisConnection = Redis | Cluster;

/** The settings of a connection: `redisSettings` of `@ssb/platform`. */
export interface RedisSettings {
  readonly REDIS_URL?: string | undefined;
  readonly REDIS_SENTINELS?: string | undefined;
  readonly REDIS_SENTINEL_MASTER?: string | undefined;
  readonly REDIS_SENTINEL_USERNAME?: string | undefined;
  readonly REDIS_SENTINEL_PASSWORD_FILE?: string | undefined;
  readonly REDIS_CLUSTER_NODES?: string | undefined;
  readonly REDIS_USERNAME?: string | undefined;
  readonly REDIS_PASSWORD_FILE?: string | undefined;
  readonly REDIS_CA_FILE?: string | undefined;
  readonly REDIS_CERT_FILE?: string | undefined;
  readonly REDIS_KEY_FILE?: string | undefined;
  /** Set for an app of the bridge. */
  readonly QUEUE_PREFIX?: string | undefined;
}

/** The settings of a connection contradict each other. */
export class RedisSettingsError extends ConfigurationError {
  override readonly name = 'RedisSettingsError';
}

/** The settings that name servers. */
export type ServersSetting = 'REDIS_URL' | 'REDIS_SENTINELS' | 'REDIS_CLUSTER_NODES';

export type RedisServers = { readonly tls: boolean } & (
  | { readonly setting: 'REDIS_URL'; readonly url: string }
  | {
      readonly setting: 'REDIS_SENTINELS';
      readonly sentinels: readonly RedisAddress[];
      readonly master: string;
    }
  | { readonly setting: 'REDIS_CLUSTER_NODES'; readonly nodes: readonly RedisAddress[] }
);

/** The servers of the settings, of which `readSettings` accepts one kind. @throws RedisSettingsError */
export function serversOf(settings: RedisSettings): RedisServers {
  const { REDIS_URL: url, REDIS_SENTINELS: sentinels, REDIS_CLUSTER_NODES: nodes } = settings;
  if (nodes !== undefined) {
    const { addresses, tls } = readAddresses('REDIS_CLUSTER_NODES', nodes);
    return { setting: 'REDIS_CLUSTER_NODES', nodes: addresses, tls };
  }
  if (sentinels !== undefined) {
    const { addresses, tls } = readAddresses('REDIS_SENTINELS', sentinels);
    const { REDIS_SENTINEL_MASTER: master = '' } = settings;
    return { setting: 'REDIS_SENTINELS', sentinels: addresses, master, tls };
  }
  if (url === undefined)
    throw new RedisSettingsError('No Redis is set; set REDIS_URL, REDIS_SENTINELS or REDIS_CLUSTER_NODES.');
  return { setting: 'REDIS_URL', url, tls: url.startsWith('rediss:') };
}

/** The setting that named the servers of a connection. */
export function settingOf(redis: RedisConnection): ServersSetting {
  if (redis.isCluster) return 'REDIS_CLUSTER_NODES';
  return (redis as Redis).options.sentinels ? 'REDIS_SENTINELS' : 'REDIS_URL';
}

function readAddresses(setting: ServersSetting, value: string): RedisAddresses {
  const addresses = parseRedisAddresses(value);
  if (addresses === undefined)
    throw new RedisSettingsError(
      `${setting} is not in the form host:port, with commas between the entries; correct it.`,
    );
  return addresses;
}

/** The server, or each master of a cluster. */
export async function listMasters(redis: RedisConnection): Promise<Redis[]> {
  if (!redis.isCluster) return [redis as Redis];
  // A cluster knows its masters when it is ready. A command without a key waits for any of them.
  if (redis.status !== 'ready') await redis.ping();
  return (redis as Cluster).nodes('master');
}

/** The `host:port` of the master that holds the key in a cluster; undefined while it is not known, or without a cluster. */
export function findMasterAddress(redis: RedisConnection, key: string): string | undefined {
  if (!redis.isCluster) return undefined;
  const slot = new Command('exists', [key]).getSlot();
  return slot === null ? undefined : (redis as Cluster).slots[slot]?.[0];
}

/** The `host:port` of a node, as in the slots of its cluster. */
export function addressOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`;
}
