import { Queue, type JobsOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DetectedEvent } from '@ssb/events';

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

/**
 * Options of a heartbeat's job. All heartbeats of one subject share a job id and leave no completed job, so that at most one of them waits,
 * and none displaces the kept ids of facts.
 */
function heartbeatJobOptions(subject: string): JobsOptions {
  // BullMQ refuses a colon in a job id.
  return { ...jobOptions(encodeURIComponent(subject)), removeOnComplete: true };
}

/** Opens a BullMQ queue with an error listener. Without one, BullMQ writes errors to the console. */
export function openQueue<T>(
  redis: Redis,
  name: string,
  prefix: string,
  onError: (error: Error) => void,
): Queue<T> {
  const queue = new Queue<T>(name, { connection: redis, prefix });
  queue.on('error', onError);
  return queue;
}

/** Number of jobs in each state. `delayed` jobs wait for their next attempt; `failed` should be 0. */
export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

/** The events queue for producers and monitors. */
export class EventQueue {
  constructor(private readonly queue: Queue<DetectedEvent>) {}

  /**
   * Adds events in order; a repeated id changes nothing. After a rejection some events may be stored, so the caller repeats the call.
   */
  async enqueue(events: readonly DetectedEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.queue.addBulk(
      events.map((event) => ({ name: event.type, data: event, opts: jobOptions(event.id) })),
    );
  }

  /** Adds a heartbeat, unless an earlier one of the same subject is still in the queue. */
  async enqueueHeartbeat(event: DetectedEvent<'settlementbus.bridge.heartbeat.v1'>): Promise<void> {
    await this.queue.add(event.type, event, heartbeatJobOptions(event.subject));
  }

  async depth(): Promise<QueueDepth> {
    const counts = await this.queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
    return {
      waiting: counts['waiting'] ?? 0,
      active: counts['active'] ?? 0,
      delayed: counts['delayed'] ?? 0,
      failed: counts['failed'] ?? 0,
    };
  }

  /** When the oldest available job became available; undefined when no job is available at `now`. */
  async oldestWaiting(now: Date): Promise<Date | undefined> {
    const heads = [...(await this.queue.getWaiting(0, 0)), ...(await this.queue.getDelayed(0, 0))];
    const available = heads.map(availableSince).filter((since) => since <= now.getTime());
    return available.length === 0 ? undefined : new Date(Math.min(...available));
  }

  /** The caller closes the connection. */
  async close(): Promise<void> {
    await this.queue.close();
  }
}

/**
 * Opens the events queue on a connection that the caller owns and closes.
 * @param redis created with `maxRetriesPerRequest: null`, so that a command waits for a reconnection instead of failing
 * @param onError called with connection errors; not needed when the connection has its own error handler
 */
export function openEventQueue(
  redis: Redis,
  prefix = DEFAULT_PREFIX,
  onError: (error: Error) => void = () => undefined,
): EventQueue {
  return new EventQueue(openQueue<DetectedEvent>(redis, EVENTS_QUEUE, prefix, onError));
}

/** The times that BullMQ stores for a job. */
export interface JobTimes {
  /** When it was added, epoch milliseconds. */
  readonly timestamp: number;
  /** When its latest attempt began, epoch milliseconds. */
  readonly processedOn?: number;
  /** The backoff after that attempt, milliseconds. */
  readonly delay: number;
}

/** When a job became or becomes available to a worker, epoch milliseconds. During its backoff this time is in the future. */
export function availableSince({ timestamp, processedOn, delay }: JobTimes): number {
  return Math.max(timestamp, processedOn ?? 0) + delay;
}
