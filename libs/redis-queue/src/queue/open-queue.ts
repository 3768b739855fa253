import type { KeySource } from '@ssb/keys';
import { Queue } from 'bullmq';
import type { RedisConnection } from '../redis/servers.js';

/** Queue of detected events, from the poller to the bus-publisher. */
export const EVENTS_QUEUE = 'settlement-events';

/** Queue of events that cannot be published until an operator acts. It has no worker. */
export const DEAD_LETTER_QUEUE = 'settlement-events-dead';

/** Default of QUEUE_PREFIX, the prefix of every key of the bridge. The braces are a hash tag: Redis Cluster keeps all keys in one slot. */
export const DEFAULT_PREFIX = '{bridge}';

/** How a queue is opened. */
export interface QueueOptions {
  /** The caller owns and closes it. With `maxRetriesPerRequest: null` a command waits for a reconnection instead of failing. */
  readonly redis: RedisConnection;
  /** Prefix of every key: QUEUE_PREFIX. Default `{bridge}`. */
  readonly prefix?: string;
  /** INTEGRITY_KEYS_FILE. */
  readonly keys: KeySource;
  /** Called with connection errors; not needed when the connection has its own error handler. */
  readonly onError?: (error: Error) => void;
}

/** Opens a BullMQ queue with an error listener. Without one, BullMQ writes errors to the console. */
export function openQueue<T>(
  name: string,
  { redis, prefix = DEFAULT_PREFIX, onError = () => undefined }: Omit<QueueOptions, 'keys'>,
): Queue<T> {
  const queue = new Queue<T>(name, { connection: redis, prefix });
  queue.on('error', onError);
  return queue;
}
