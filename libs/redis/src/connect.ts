import { backoffDelayMs, type Backoff } from '@ssb/resilience';
import { Redis } from 'ioredis';

export interface ConnectOptions {
  /** Shown by `CLIENT LIST`, so that an operator sees who holds a connection. */
  readonly name: string;
  /**
   * A connection that waits for Redis however long it is away (BullMQ workers, subscriptions). Others give a command up after
   * twenty reconnections, so that a caller gets an error instead of hanging.
   */
  readonly blocking?: boolean;
  /**
   * A connection on which Redis says nothing for so long, milliseconds, while an answer is due is taken for dead: a host that vanishes
   * sends no end, and the system alone would wait for a quarter of an hour. Not for a blocking connection, on which silence is usual.
   */
  readonly longestSilenceMs?: number;
  /** Told of connection failures; each distinct message once per outage. */
  readonly onError?: (error: Error) => void;
}

/** Between two attempts to reconnect, which go on indefinitely. */
const BACKOFF: Backoff = { baseMs: 100, maxMs: 2_000 };
const LONGEST_SILENCE_MS = 10_000;

/** Opens a connection that re-connects for ever and never raises an unhandled error. The caller closes it. */
export function connectRedis(
  url: string,
  { name, blocking = false, longestSilenceMs = LONGEST_SILENCE_MS, onError }: ConnectOptions,
): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    maxRetriesPerRequest: blocking ? null : 20,
    enableReadyCheck: true,
    connectTimeout: 5_000,
    // Who subscribes does so on each `ready`. The library's own repeat is a promise that nobody waits for: its failure would end the process.
    autoResubscribe: false,
    ...(!blocking && { socketTimeout: longestSilenceMs }),
    // A socket that failed before is waited for as well; it must not hold the process's end up for the default two seconds.
    disconnectTimeout: 500,
    retryStrategy: (attempt) => backoffDelayMs(attempt, BACKOFF, Math.random()),
  });
  let last: string | undefined;
  redis.on('ready', () => (last = undefined));
  redis.on('error', (error: Error) => {
    if (error.message === last) return;
    last = error.message;
    onError?.(error);
  });
  return redis;
}
