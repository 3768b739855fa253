import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import { stringify, type EventAuthenticator } from './event-authenticator.js';
import { readStoredJobs, removeStoredJob, type StoredJob } from './stored-job.js';
import type { RedisConnection } from '../redis/servers.js';

/** Jobs of the events queue without a valid HMAC. Only another client of Redis writes them. */
export class ForgedJobs {
  constructor(
    private readonly queue: Queue<unknown>,
    private readonly redis: RedisConnection,
    private readonly authenticator: EventAuthenticator,
  ) {}

  /** Whether a job of this id, in any state, is forged. */
  async has(id: string): Promise<boolean> {
    return (await this.find([id])).size > 0;
  }

  /** Moves the forged jobs of these ids to other ids, for the publisher to refuse, keep and report. @returns the ids that are free now */
  async setAside(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const forged = await this.find(ids);
    for (const [id, { data }] of forged) {
      const kept = stringify(data) === undefined ? null : data;
      await this.queue.add('forged', kept, { jobId: `${id}-${randomUUID()}` });
      await removeStoredJob(this.redis, this.queue, id);
    }
    return new Set(forged.keys());
  }

  private async find(ids: readonly string[]): Promise<ReadonlyMap<string, StoredJob>> {
    const stored = await readStoredJobs(this.redis, this.queue, ids);
    for (const [id, { data }] of stored) {
      const { ok } = await this.authenticator.verify(id, data);
      if (ok) stored.delete(id);
    }
    return stored;
  }
}
