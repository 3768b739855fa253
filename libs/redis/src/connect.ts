import { backoffDelayMs, type Backoff } from '@ssb/resilience';
import { Redis, type RedisOptions } from 'ioredis';
import { checkRedisSettings, readRedisCredentials, type RedisSettings } from './credentials.js';

export interface ConnectOptions {
  /** Shown by `CLIENT LIST`, so that an operator can identify the connection. */
  readonly name: string;
  /**
   * Commands wait for Redis indefinitely (BullMQ workers, subscriptions). Otherwise a command fails after twenty reconnections.
   */
  readonly blocking?: boolean;
  /**
   * A connection is replaced when Redis sends nothing for this time while a response is due, because a vanished host sends no end. Not
   * for blocking connections. Milliseconds; default 10,000.
   */
  readonly socketTimeoutMs?: number;
  /** Called with errors of the connection or its files, once per distinct message and outage. */
  readonly onError?: (error: Error) => void;
}

/** Between two attempts to reconnect, which go on indefinitely. */
const BACKOFF: Backoff = { baseMs: 100, maxMs: 2_000 };
const SOCKET_TIMEOUT_MS = 10_000;

/**
 * Opens a connection that reconnects indefinitely and never emits an unhandled error. Before each reconnection it reads the password and the
 * certificates again, and so does every duplicate. The caller closes it.
 * @param server the settings, or a URL
 * @throws RedisSettingsError, ConfiguredFileError, or the file system's error with the path
 */
export function connectRedis(
  server: RedisSettings | string,
  { name, blocking = false, socketTimeoutMs = SOCKET_TIMEOUT_MS, onError }: ConnectOptions,
): Redis {
  const settings = typeof server === 'string' ? { REDIS_URL: server } : server;
  checkRedisSettings(settings);
  let lastMessage: string | undefined;
  let lastFileMessage: string | undefined;
  const redis = new Redis(settings.REDIS_URL, {
    ...readRedisCredentials(settings),
    connectionName: name,
    maxRetriesPerRequest: blocking ? null : 20,
    enableReadyCheck: true,
    connectTimeout: 5_000,
    // Subscribers subscribe again on each `ready`. ioredis would do so in an unhandled promise, whose failure ends the process.
    autoResubscribe: false,
    ...(!blocking && { socketTimeout: socketTimeoutMs }),
    // The default of two seconds would delay the end of the process after a failed connection.
    disconnectTimeout: 500,
    // `this` is the options of the connection, or of its duplicate, which ioredis reads at each attempt.
    retryStrategy(this: RedisOptions, attempt) {
      try {
        Object.assign(this, readRedisCredentials(settings));
        lastFileMessage = undefined;
      } catch (error) {
        // A file may be missing while it is replaced. The previous content stays in use.
        const { message } = error as Error;
        if (message !== lastFileMessage) onError?.(error as Error);
        lastFileMessage = message;
      }
      return backoffDelayMs(attempt, BACKOFF, Math.random());
    },
  });
  redis.on('ready', () => (lastMessage = undefined));
  redis.on('error', (error: Error) => {
    if (error.message === lastMessage) return;
    lastMessage = error.message;
    onError?.(error);
  });
  return redis;
}
