import { randomUUID } from 'node:crypto';
import type { DetectedEvent } from '@ssb/events';
import type { KeySource } from '@ssb/key-ring';
import type { JobsOptions, Queue } from 'bullmq';
import { EventAuthenticator, stringify } from './event-authenticator.js';
import { readStoredJob, removeStoredJob, type StoredJob } from './stored-job.js';
import type { RedisConnection } from '@ssb/redis';

/** A job to be added. */
export interface NewJob {
  readonly id: string;
  readonly event: DetectedEvent;
  readonly options: JobsOptions;
}

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
    // Before the addition too: a worker can refuse and remove the forged job between an ignored addition and a check after it.
    for (const { id } of jobs) await this.removeForged(id);
    await this.addBulk(jobs);
    for (const job of jobs) {
      if (!(await this.removeForged(job.id))) continue;
      await this.addBulk([job]);
      if ((await this.findForged(job.id)) !== undefined)
        throw new Error(
          `Another client of Redis overwrites job ${job.id}. Restrict its user, as in docs/operate/databases.md.`,
        );
    }
  }

  /** Queues a job without a valid HMAC under another id, for the publisher to refuse. @returns whether there was one */
  private async removeForged(id: string): Promise<boolean> {
    const forged = await this.findForged(id);
    if (forged === undefined) return false;
    await this.addForRefusal(id, forged);
    await removeStoredJob(this.redis, this.queue, id);
    return true;
  }

  /** The job of this id, if there is one without a valid HMAC, in any state. */
  async findForged(id: string): Promise<StoredJob | undefined> {
    const stored = await readStoredJob(this.redis, this.queue, id);
    if (stored === undefined) return undefined;
    const { ok } = await this.authenticator.verify(id, stored.data);
    return ok ? undefined : stored;
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
