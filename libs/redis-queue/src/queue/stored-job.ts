import type { Queue } from 'bullmq';
import type { RedisConnection } from '../redis/servers.js';

/** A job as it is stored. Another client may have written anything. */
export interface StoredJob {
  /** Undefined when it is not JSON. */
  readonly data: unknown;
  readonly failedReason: string;
}

/** Reads a job without BullMQ, which cannot decode every job. Undefined when there is none. */
export async function readStoredJob(
  redis: RedisConnection,
  queue: Queue<unknown>,
  id: string,
): Promise<StoredJob | undefined> {
  return (await readStoredJobs(redis, queue, [id])).get(id);
}

/** Reads several jobs in one round trip. @returns those that exist, by id */
export async function readStoredJobs(
  redis: RedisConnection,
  queue: Queue<unknown>,
  ids: readonly string[],
): Promise<Map<string, StoredJob>> {
  const transaction = redis.multi();
  for (const id of ids) transaction.exists(queue.toKey(id)).hmget(queue.toKey(id), 'data', 'failedReason');
  const results = (await transaction.exec()) ?? [];
  const jobs = new Map<string, StoredJob>();
  ids.forEach((id, index) => {
    const [[, exists] = [], [error, fields] = []] = results.slice(2 * index, 2 * index + 2);
    if (exists !== 1) return;
    // A key that is not a hash has no fields.
    const [data, failedReason] = error ? [] : (fields as (string | null)[]);
    jobs.set(id, { data: parse(data ?? ''), failedReason: failedReason ?? '' });
  });
  return jobs;
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
