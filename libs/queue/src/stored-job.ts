import type { Queue } from 'bullmq';
import type { RedisConnection } from '@ssb/redis';

/** What is stored of a job. Another client may have written anything. */
export interface StoredJob {
  /** Undefined when it is no JSON. */
  readonly data: unknown;
  readonly failedReason: string;
}

/** Reads a job without BullMQ, which cannot decode every job. Undefined when there is none. */
export async function readStoredJob(
  redis: RedisConnection,
  queue: Queue<unknown>,
  id: string,
): Promise<StoredJob | undefined> {
  const key = queue.toKey(id);
  const results = await redis.multi().exists(key).hmget(key, 'data', 'failedReason').exec();
  const [[, exists] = [], [error, fields] = []] = results ?? [];
  if (exists !== 1) return undefined;
  // A key that is no hash.
  if (error) return { data: undefined, failedReason: '' };
  const [data, failedReason] = fields as (string | null)[];
  return { data: parse(data ?? ''), failedReason: failedReason ?? '' };
}

/** Removes a job in any state, also one that is locked. Other keys of the queue stay, whatever the id. */
export async function removeStoredJob(
  redis: RedisConnection,
  queue: Queue<unknown>,
  id: string,
): Promise<void> {
  const key = queue.toKey(id);
  const transaction = redis.multi();
  if (!Object.values(queue.keys).includes(key)) transaction.del(key, `${key}:lock`);
  for (const list of ['wait', 'paused', 'active']) transaction.lrem(queue.toKey(list), 0, id);
  for (const set of ['delayed', 'prioritized', 'completed', 'failed', 'waiting-children'])
    transaction.zrem(queue.toKey(set), id);
  await transaction.exec();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
