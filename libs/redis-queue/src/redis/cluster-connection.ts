import type { RedisAddress } from '@ssb/platform';
import { backoffDelayMs, type Backoff } from '@ssb/net';
import { Cluster, type ClusterNode, type ClusterOptions, type Redis, type RedisOptions } from 'ioredis';
import { forHost, type CredentialFiles } from './credential-files.js';

/** A failover takes several seconds: CLUSTER-NODE-TIMEOUT and an election. Commands are repeated for 30 s. */
const RETRY_DELAY_MS = 250;
const MAX_REDIRECTIONS = 120;

/** Also for a command that waits while no node responds. */
const COMMAND_TIMEOUT_MS = 30_000;

/** Finds a new master also when the connection to the vanished one stays open. */
const SLOTS_REFRESH_INTERVAL_MS = 15_000;
const SLOTS_REFRESH_TIMEOUT_MS = 5_000;

interface ClusterConnectionOptions {
  readonly nodes: readonly RedisAddress[];
  readonly files: CredentialFiles;
  readonly blocking: boolean;
  readonly backoff: Backoff;
  /** Options of the connections to the nodes. */
  readonly redisOptions: ClusterOptions['redisOptions'];
}

/** Opens a connection to a Redis Cluster. Each connection to a node reads password and certificates again, and so does every duplicate. */
export function openCluster(connection: ClusterConnectionOptions, overrides: ClusterOptions = {}): Cluster {
  const { nodes, files, blocking, backoff, redisOptions } = connection;
  const cluster = new Cluster([...nodes], {
    clusterRetryStrategy: (attempt) => backoffDelayMs(attempt, backoff, Math.random()),
    // The certificate of a node is for its name.
    dnsLookup: (host, callback) => callback(null, host),
    maxRedirections: MAX_REDIRECTIONS,
    retryDelayOnFailover: RETRY_DELAY_MS,
    retryDelayOnClusterDown: RETRY_DELAY_MS,
    slotsRefreshInterval: SLOTS_REFRESH_INTERVAL_MS,
    slotsRefreshTimeout: SLOTS_REFRESH_TIMEOUT_MS,
    redisOptions,
    ...overrides,
  });
  // The pool emits this before the node connects.
  cluster.on('+node', (node: Redis) => useFiles(files, node.options));
  Object.assign(cluster, {
    duplicate: (_nodes?: ClusterNode[], other?: ClusterOptions) => openCluster(connection, other),
  });
  if (!blocking) {
    const send = cluster.sendCommand.bind(cluster);
    cluster.sendCommand = (command, ...others) => {
      command.setTimeout(COMMAND_TIMEOUT_MS);
      return send(command, ...others);
    };
  }
  return cluster;
}

/** Getters, because ioredis opens further connections with a copy of the options. */
function useFiles(files: CredentialFiles, options: RedisOptions): void {
  const { host = '' } = options;
  const define = (name: keyof RedisOptions, get: () => unknown): void =>
    void Object.defineProperty(options, name, { get, enumerable: true, configurable: true });
  const { password, tls } = files.read();
  if (password !== undefined) define('password', () => files.read().password);
  if (tls !== undefined) define('tls', () => forHost(files.read().tls ?? {}, host));
}
