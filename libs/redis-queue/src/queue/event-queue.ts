import { precedenceOf, type DetectedEvent } from '@ssb/events';
import type { KeySource } from '@ssb/keys';
import { Queue, type JobsOptions } from 'bullmq';
import { AuthenticatedJobs } from './authenticated-jobs.js';
import {
  findOldestWaiting,
  readDepth,
  readProgress,
  type JobProgress,
  type QueueDepth,
} from './queue-state.js';
import type { RedisConnection } from '../redis/servers.js';

/** Queue of detected events, from the poller to the bus-publisher. */
export const EVENTS_QUEUE = 'settlement-events';

/** Queue of events that cannot be published until an operator acts. It has no worker. */
export const DEAD_LETTER_QUEUE = 'settlement-events-dead';

/** Default of QUEUE_PREFIX, the prefix of every key of the bridge. The braces are a hash tag: Redis Cluster keeps all keys in one slot. */
export const DEFAULT_PREFIX = '{bridge}';

/** BullMQ calls the worker's `backoffStrategy` for a type that is not built in. */
const BACKOFF_TYPE = 'capped-exponential';

const DAY_SECONDS = 24 * 3600;

/**
 * Options of one event's job. The event's id is the job's id, so adding the same event twice creates one job.
 * @param eventId deterministic id of the event
 */
export function jobOptions(eventId: string): JobsOptions {
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
): JobsOptions {
  return {
    ...jobOptions(jobId),
    priority: precedenceOf({ type, backfilled }),
    ...(backfilled === true && { removeOnComplete: true }),
  };
}

/**
 * Options of a heartbeat's job. All heartbeats of one subject share a job id and leave no completed job, so that at most one of them waits,
 * and none displaces the kept ids of facts.
 */
export function heartbeatJobOptions(jobId: string): JobsOptions {
  return { ...jobOptions(jobId), priority: HEARTBEAT_PRECEDENCE, removeOnComplete: true };
}

const HEARTBEAT_PRECEDENCE = precedenceOf({ type: 'settlementbus.bridge.heartbeat.v1' });

/** Opens a BullMQ queue with an error listener. Without one, BullMQ writes errors to the console. */
export function openQueue<T>(
  name: string,
  { redis, prefix = DEFAULT_PREFIX, onError = () => undefined }: Omit<QueueOptions, 'keys'>,
): Queue<T> {
  const queue = new Queue<T>(name, { connection: redis, prefix });
  queue.on('error', onError);
  return queue;
}

/** The events queue for producers and monitors. */
export class EventQueue {
  private readonly jobs: AuthenticatedJobs;

  constructor(
    private readonly queue: Queue<unknown>,
    private readonly redis: RedisConnection,
    keys: KeySource,
  ) {
    this.jobs = new AuthenticatedJobs(queue, redis, keys);
  }

  /**
   * Adds events in order; a repeated id changes nothing. The worker takes events of a lower precedence number first. After a rejection
   * some events may be stored, so the caller repeats the call.
   */
  async enqueue(events: readonly DetectedEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.jobs.add(
      events.map((event) => ({ id: event.id, event, options: factJobOptions(event.id, event) })),
    );
  }

  /**
   * Adds events of a backfill, also those that were published before: a subscriber drops what its archive holds.
   * @param backfill id of the backfill, under which an event is in the queue once
   */
  async enqueueBackfilled(events: readonly DetectedEvent[], backfill: string): Promise<void> {
    if (events.length === 0) return;
    await this.jobs.add(
      events.map((event) => {
        const id = backfilledJobId(event.id, backfill);
        return { id, event, options: factJobOptions(id, event) };
      }),
    );
  }

  /** Adds a heartbeat, unless an earlier one of the same subject is still in the queue. */
  async enqueueHeartbeat(event: DetectedEvent<'settlementbus.bridge.heartbeat.v1'>): Promise<void> {
    // BullMQ refuses a colon in a job id.
    const id = encodeURIComponent(event.subject);
    await this.jobs.add([{ id, event, options: heartbeatJobOptions(id) }]);
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
}

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

/** Opens the events queue. */
export function openEventQueue({ keys, ...options }: QueueOptions): EventQueue {
  return new EventQueue(openQueue(EVENTS_QUEUE, options), options.redis, keys);
}
