import { randomUUID } from 'node:crypto';
import type { DetectedEvent } from '@ssb/events';
import type { KeySource } from '@ssb/keys';
import type { JobsOptions, Queue } from 'bullmq';
import { EventAuthenticator, stringify } from './event-authenticator.js';
import { readStoredJob, readStoredJobs, removeStoredJob, type StoredJob } from './stored-job.js';
import type { RedisConnection } from '../redis/servers.js';

/** A job to be added. */
export interface NewJob {
  readonly id: string;
  readonly event: DetectedEvent;
  readonly options: JobsOptions;
}

/** In one transaction, which blocks Redis until it ends. */
const MAX_ADDED = 250;

/** Adds jobs with an HMAC to the events queue. */
export class AuthenticatedJobs {
  private readonly authenticator: EventAuthenticator;

  constructor(
    private readonly queue: Queue<unknown>,
    private readonly redis: RedisConnection,
    keys: KeySource,
  ) {
    this.authenticator = new EventAuthenticator(keys, queue);
  }

  /**
   * Adds jobs in order; a repeated id changes nothing. A job without a valid HMAC that has one of the ids is replaced, because BullMQ would
   * ignore the genuine one.
   * @throws Error when another client writes the job again meanwhile
   */
  async add(jobs: readonly NewJob[]): Promise<void> {
    for (let index = 0; index < jobs.length; index += MAX_ADDED)
      await this.addSome(jobs.slice(index, index + MAX_ADDED));
  }

  private async addSome(jobs: readonly NewJob[]): Promise<void> {
    const ids = jobs.map(({ id }) => id);
    // Before the addition too: a worker can refuse and remove the forged job between an ignored addition and a check after it.
    await this.removeForged(ids);
    await this.addBulk(jobs);
    const forged = new Set(await this.removeForged(ids));
    for (const job of jobs.filter(({ id }) => forged.has(id))) {
      await this.addBulk([job]);
      if ((await this.findForged(job.id)) !== undefined)
        throw new Error(
          `Another client of Redis overwrites job ${job.id}. Restrict its user, as in docs/operate/databases.md.`,
        );
    }
  }

  /** Queues jobs without a valid HMAC under other ids, for the publisher to refuse. @returns their ids */
  private async removeForged(ids: readonly string[]): Promise<string[]> {
    const removed: string[] = [];
    const stored = await readStoredJobs(this.redis, this.queue, ids);
    for (const [id, job] of stored) {
      if (!(await this.isForged(id, job))) continue;
      await this.addForRefusal(id, job);
      await removeStoredJob(this.redis, this.queue, id);
      removed.push(id);
    }
    return removed;
  }

  /** The job of this id, if there is one without a valid HMAC, in any state. */
  async findForged(id: string): Promise<StoredJob | undefined> {
    const stored = await readStoredJob(this.redis, this.queue, id);
    return stored !== undefined && (await this.isForged(id, stored)) ? stored : undefined;
  }

  private async isForged(id: string, { data }: StoredJob): Promise<boolean> {
    const { ok } = await this.authenticator.verify(id, data);
    return !ok;
  }

  private async addBulk(jobs: readonly NewJob[]): Promise<void> {
    await this.queue.addBulk(
      jobs.map(({ id, event, options }) => ({
        name: event.type,
        data: this.authenticator.authenticate(id, event),
        opts: { ...options, jobId: id },
      })),
    );
  }

  /** Queues the data under another id, so that the publisher refuses, keeps and reports it. */
  private async addForRefusal(id: string, { data }: StoredJob): Promise<void> {
    const kept = stringify(data) === undefined ? null : data;
    await this.queue.add('forged', kept, { jobId: `${id}-${randomUUID()}` });
  }
}
