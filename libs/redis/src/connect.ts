import { backoffDelayMs, type Backoff } from '@ssb/resilience';
import { Redis } from 'ioredis';

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
  /** Called with connection errors, once per distinct message and outage. */
  readonly onError?: (error: Error) => void;
}

/** Between two attempts to reconnect, which go on indefinitely. */
const BACKOFF: Backoff = { baseMs: 100, maxMs: 2_000 };
const SOCKET_TIMEOUT_MS = 10_000;

/** Opens a connection that reconnects indefinitely and never emits an unhandled error. The caller closes it. */
export function connectRedis(
  url: string,
  { name, blocking = false, socketTimeoutMs = SOCKET_TIMEOUT_MS, onError }: ConnectOptions,
): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    maxRetriesPerRequest: blocking ? null : 20,
    enableReadyCheck: true,
    connectTimeout: 5_000,
    // Subscribers subscribe again on each `ready`. ioredis would do so in an unhandled promise, whose failure ends the process.
    autoResubscribe: false,
    ...(!blocking && { socketTimeout: socketTimeoutMs }),
    // The default of two seconds would delay the end of the process after a failed connection.
    disconnectTimeout: 500,
    retryStrategy: (attempt) => backoffDelayMs(attempt, BACKOFF, Math.random()),
  });
  let lastMessage: string | undefined;
  redis.on('ready', () => (lastMessage = undefined));
  redis.on('error', (error: Error) => {
    if (error.message === lastMessage) return;
    lastMessage = error.message;
    onError?.(error);
  });
  return redis;
}
