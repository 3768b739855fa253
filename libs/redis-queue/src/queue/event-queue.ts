import { precedenceOf, type DetectedEvent } from '@ssb/events';
import type { KeySource } from '@ssb/keys';
import type { JobsOptions, Queue } from 'bullmq';
import { HEARTBEAT_TYPE } from './domain/refused-job.js';
import { EventAuthenticator } from './event-authenticator.js';
import { ForgedJobs } from './forged-jobs.js';
import { EVENTS_QUEUE, openQueue, type QueueOptions } from './open-queue.js';
import {
  findOldestWaiting,
  readDepth,
  readProgress,
  type JobProgress,
  type QueueDepth,
} from './queue-state.js';
import type { RedisConnection } from '../redis/servers.js';

/** BullMQ calls the worker's `backoffStrategy` for a type that is not built in. */
const BACKOFF_TYPE = 'capped-exponential';

const DAY_SECONDS = 24 * 3600;

/** How the job of an event is handled. */
export type EventJobOptions = JobsOptions & { readonly jobId: string };

/** A job to be added. */
export interface NewJob {
  readonly event: DetectedEvent;
  readonly options: EventJobOptions;
}

/** Maximum number of jobs in one transaction, which blocks Redis until it ends. */
const MAX_ADDED_JOBS = 250;

/** The events queue for producers and monitors. Each job has an HMAC, which the worker verifies. */
export class EventQueue {
  private readonly authenticator: EventAuthenticator;
  private readonly forgedJobs: ForgedJobs;

  constructor(
    private readonly queue: Queue<unknown>,
    private readonly redis: RedisConnection,
    keys: KeySource,
  ) {
    this.authenticator = new EventAuthenticator(keys, queue);
    this.forgedJobs = new ForgedJobs(queue, redis, this.authenticator);
  }

  /**
   * Adds events in order, each as a job with its id, so that a repeat changes nothing. The worker takes precedence 0 (margin, credit support)
   * first. After a rejection some events may be stored, so the caller repeats the call.
   */
  async enqueue(events: readonly DetectedEvent[]): Promise<void> {
    await this.addJobs(events.map((event) => ({ event, options: factJobOptions(event.id, event) })));
  }

  /**
   * Adds events of a backfill, also those that were published before: a subscriber drops what its archive holds.
   * @param backfill id of the backfill, under which an event is in the queue once
   */
  async enqueueBackfilled(events: readonly DetectedEvent[], backfill: string): Promise<void> {
    await this.addJobs(
      events.map((event) => ({ event, options: factJobOptions(backfilledJobId(event.id, backfill), event) })),
    );
  }

  /** Adds a heartbeat, unless an earlier one of the same subject is still in the queue. */
  async enqueueHeartbeat(event: DetectedEvent<'settlementbus.bridge.heartbeat.v1'>): Promise<void> {
    // BullMQ refuses a colon in a job id.
    await this.addJobs([{ event, options: heartbeatJobOptions(encodeURIComponent(event.subject)) }]);
  }

  /**
   * Adds jobs in order; a repeated id changes nothing. A job without a valid HMAC that has one of the ids is replaced, because BullMQ would
   * ignore the genuine one.
   * @throws Error when another client writes the job again meanwhile
   */
  async addJobs(jobs: readonly NewJob[]): Promise<void> {
    for (let index = 0; index < jobs.length; index += MAX_ADDED_JOBS)
      await this.addReplacingForged(jobs.slice(index, index + MAX_ADDED_JOBS));
  }

  /** How far the job of an event is. */
  progress(eventId: string): Promise<JobProgress> {
    return readProgress(this.queue, this.redis, eventId);
  }

  depth(): Promise<QueueDepth> {
    return readDepth(this.queue);
  }

  /** When the oldest available job became available; undefined when no job is available at `now`. */
  oldestWaiting(now: Date): Promise<Date | undefined> {
    return findOldestWaiting(this.queue, this.redis, now);
  }

  /** The caller closes the connection. */
  async close(): Promise<void> {
    await this.queue.close();
  }

  private async addReplacingForged(jobs: readonly NewJob[]): Promise<void> {
    const ids = jobs.map(({ options }) => options.jobId);
    // Before the addition too: a worker can refuse and remove the forged job between an ignored addition and a check after it.
    await this.forgedJobs.setAside(ids);
    await this.addAuthenticated(jobs);
    const replaced = await this.forgedJobs.setAside(ids);
    for (const job of jobs) {
      const { jobId } = job.options;
      if (!replaced.has(jobId)) continue;
      await this.addAuthenticated([job]);
      if (await this.forgedJobs.has(jobId))
        throw new Error(
          `Another client of Redis overwrites job ${jobId}. Restrict its user, as in docs/operate/databases.md.`,
        );
    }
  }

  private async addAuthenticated(jobs: readonly NewJob[]): Promise<void> {
    await this.queue.addBulk(
      jobs.map(({ event, options }) => ({
        name: event.type,
        data: this.authenticator.authenticate(options.jobId, event),
        opts: options,
      })),
    );
  }
}

/** Opens the events queue. */
export function openEventQueue({ keys, ...options }: QueueOptions): EventQueue {
  return new EventQueue(openQueue(EVENTS_QUEUE, options), options.redis, keys);
}

/**
 * Options of one event's job. The event's id is the job's id, so adding the same event twice creates one job.
 * @param eventId deterministic id of the event
 */
export function jobOptions(eventId: string): EventJobOptions {
  return {
    jobId: eventId,
    // Attempts are unlimited, so that a margin breach is never dropped.
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: { type: BACKOFF_TYPE },
    // A completed job stays for a day, so that BullMQ ignores another job with its id. The count limits the memory.
    removeOnComplete: { age: DAY_SECONDS, count: 20_000 },
    // A job that fails unexpectedly stays visible until it is moved to the dead letters.
    removeOnFail: false,
    // BullMQ otherwise keeps one stack trace for each attempt.
    stackTraceLimit: 1,
  };
}

/** Id of the job of a backfilled event. @param backfill id of the backfill, under which an event is in the queue once */
export function backfilledJobId(eventId: string, backfill: string): string {
  return `${eventId}-${backfill}`;
}

/** Whether a job of this id can hold the event. @param backfilled as the event says */
export function isJobIdOf(id: string, eventId: string, backfilled: unknown): boolean {
  return id === eventId || (backfilled === true && id.startsWith(`${eventId}-`));
}

/** Options of the job of a fact. A backfilled one leaves no completed job, which would displace the kept ids of facts. */
export function factJobOptions(
  jobId: string,
  { type, backfilled }: Pick<DetectedEvent, 'type' | 'backfilled'>,
): EventJobOptions {
  return {
    ...jobOptions(jobId),
    // BullMQ takes the lowest priority first, as the precedence orders.
    priority: precedenceOf({ type, backfilled }),
    ...(backfilled === true && { removeOnComplete: true }),
  };
}

/**
 * Options of a heartbeat's job. All heartbeats of one subject share a job id and leave no completed job, so that at most one of them waits,
 * and none displaces the kept ids of facts.
 */
export function heartbeatJobOptions(jobId: string): EventJobOptions {
  return { ...jobOptions(jobId), priority: precedenceOf({ type: HEARTBEAT_TYPE }), removeOnComplete: true };
}
