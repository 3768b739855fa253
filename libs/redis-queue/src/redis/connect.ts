import type { RedisAddress } from '@ssb/platform';
import { backoffDelayMs, type Backoff } from '@ssb/net';
import { Redis, SentinelConnector, type RedisOptions, type SentinelConnectionOptions } from 'ioredis';
import { openCluster } from './cluster-connection.js';
import { onConnectionError } from './connection-events.js';
import { checkRedisSettings, CredentialFiles, forHost } from './credential-files.js';
import { serversOf, type RedisConnection, type RedisSettings } from './servers.js';

export interface ConnectOptions {
  /** Shown by `CLIENT LIST`, so that an operator can identify the connection. */
  readonly name: string;
  /**
   * Commands wait for Redis indefinitely (BullMQ workers, subscriptions). Otherwise a command fails after twenty reconnections.
   */
  readonly blocking?: boolean;
  /** The connection is for subscriptions. Each node of a cluster has every notification, so it leads to one of them. */
  readonly subscribes?: boolean;
  /**
   * A connection is replaced when Redis sends nothing for this time while a response is due, because a vanished host sends no end. Not
   * for blocking connections. Milliseconds; default 10,000.
   */
  readonly socketTimeoutMs?: number;
  /** Called with errors of the connection or its files, once per distinct message and outage. */
  readonly onError?: (error: Error) => void;
}

/** Between two attempts to reconnect, which continue indefinitely. */
const BACKOFF: Backoff = { baseMs: 100, maxMs: 2_000 };
const SOCKET_TIMEOUT_MS = 10_000;
const SENTINEL_TIMEOUT_MS = 5_000;
/** Distinct messages of one outage. */
const MAX_REPORTED = 100;

/**
 * Opens a connection that reconnects indefinitely and never emits an unhandled error. Before each reconnection it reads the password and the
 * certificates again, and so does every duplicate. The caller closes it.
 * @param server the settings, or the URL of one server
 * @throws RedisSettingsError, ConfiguredFileError, or the file system's error with the path
 */
export function connectRedis(server: string, options: ConnectOptions): Redis;
export function connectRedis(server: RedisSettings | string, options: ConnectOptions): RedisConnection;
export function connectRedis(server: RedisSettings | string, options: ConnectOptions): RedisConnection {
  const settings = typeof server === 'string' ? { REDIS_URL: server } : server;
  checkRedisSettings(settings);
  const { onError = () => undefined } = options;
  const redis = open(settings, new CredentialFiles(settings, onError), options);
  const reported = new Set<string>();
  redis.on('ready', () => reported.clear());
  onConnectionError(redis, (error) => {
    if (reported.has(error.message)) return;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.add(error.message);
    onError(error);
  });
  return redis;
}

function open(
  settings: RedisSettings,
  files: CredentialFiles,
  { name, blocking = false, subscribes = false, socketTimeoutMs = SOCKET_TIMEOUT_MS }: ConnectOptions,
): RedisConnection {
  const servers = serversOf(settings);
  const options = {
    ...files.read(),
    connectionName: name,
    enableReadyCheck: true,
    // A server that loads its file estimates the time, often seconds too long.
    maxLoadingRetryTime: 500,
    connectTimeout: 5_000,
    // Subscribers subscribe again on each `ready`. ioredis would do so in an unhandled promise, whose failure ends the process.
    autoResubscribe: false,
    ...(!blocking && { socketTimeout: socketTimeoutMs }),
    // The default of two seconds would delay the end of the process after a failed connection.
    disconnectTimeout: 500,
    maxRetriesPerRequest: blocking ? null : 20,
  } satisfies RedisOptions;
  if (servers.setting === 'REDIS_CLUSTER_NODES' && !subscribes) {
    const { nodes } = servers;
    // The cluster repeats commands, not the connections to its nodes.
    const redisOptions = { ...options, maxRetriesPerRequest: null };
    return openCluster({ nodes, files, blocking, backoff: BACKOFF, redisOptions });
  }
  // `this` is the options of the connection, or of its duplicate, which ioredis reads at each attempt.
  function retryStrategy(this: RedisOptions, attempt: number): number {
    Object.assign(this, files.read());
    return backoffDelayMs(attempt, BACKOFF, Math.random());
  }
  const reconnecting = { ...options, retryStrategy } satisfies RedisOptions;
  if (servers.setting === 'REDIS_URL') return new Redis(servers.url, reconnecting);
  if (servers.setting === 'REDIS_CLUSTER_NODES') return connectToNode(servers.nodes, files, reconnecting);
  return new Redis({
    ...reconnecting,
    sentinels: [...servers.sentinels],
    name: servers.master,
    sentinelUsername: settings.REDIS_SENTINEL_USERNAME,
    enableTLSForSentinelMode: servers.tls,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    sentinelRetryStrategy: retryStrategy,
    // Otherwise a connection to a vanished or isolated master stays open.
    failoverDetector: true,
    Connector: ReconnectingSentinelConnector,
    // `this` is the options of a connection that listens for failovers.
    sentinelReconnectStrategy(this: RedisOptions, attempt) {
      const { sentinelPassword: password, sentinelTLS: tls } = files.read();
      Object.assign(this, { password, tls });
      return backoffDelayMs(attempt, BACKOFF, Math.random());
    },
  });
}

/**
 * Ends the subscription of the previous connection before it opens the next one. In ioredis 6.0.0, a failover that this subscription reports
 * during the request to a Sentinel for the master ends the connection for good (ioredis pull request 2198).
 */
class ReconnectingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(
    ...args: Parameters<SentinelConnector['connect']>
  ): ReturnType<SentinelConnector['connect']> {
    this.disconnect();
    return super.connect(...args);
  }
}

/** Each attempt leads to the next node. */
function connectToNode(nodes: readonly RedisAddress[], files: CredentialFiles, options: RedisOptions): Redis {
  const nodeOf = (attempt: number): RedisOptions => {
    const node = nodes[attempt % nodes.length] as RedisAddress;
    const { tls, ...credentials } = files.read();
    return { ...credentials, ...node, ...(tls && { tls: forHost(tls, node.host) }) };
  };
  return new Redis({
    ...options,
    ...nodeOf(0),
    retryStrategy(this: RedisOptions, attempt) {
      Object.assign(this, nodeOf(attempt));
      return backoffDelayMs(attempt, BACKOFF, Math.random());
    },
  });
}
