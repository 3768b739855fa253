import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DetectedEvent } from '@ssb/events';
import { jobOptions } from './job-options.js';
import { DEFAULT_PREFIX, EVENTS_QUEUE } from './names.js';
import { waitingSince } from './waiting-since.js';

/** How many jobs stand in each state. `delayed` are those between two attempts; `failed` should be none. */
export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

/** The queue as seen by who adds to it or looks at it. */
export class EventQueue {
  constructor(private readonly queue: Queue<DetectedEvent>) {}

  /**
   * Adds events, in the given order. An event whose id is already there (waiting, in work, or delivered within a day) is a repeat and
   * changes nothing. When the promise resolves all of them are in Redis; when it rejects some may be, and the same call is repeated.
   */
  async enqueue(events: readonly DetectedEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.queue.addBulk(
      events.map((event) => ({ name: event.type, data: event, opts: jobOptions(event.id) })),
    );
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

  /** Since when the job at the head of the queue could have been taken; undefined when none is due at `now`. */
  async oldestWaiting(now: Date): Promise<Date | undefined> {
    const heads = [...(await this.queue.getWaiting(0, 0)), ...(await this.queue.getDelayed(0, 0))];
    const due = heads.map(waitingSince).filter((since) => since <= now.getTime());
    return due.length === 0 ? undefined : new Date(Math.min(...due));
  }

  /** Lets go of the queue; the connection belongs to who passed it in. */
  async close(): Promise<void> {
    await this.queue.close();
  }
}

/**
 * Opens the events queue on a connection that the caller keeps and closes.
 *
 * @param redis made with `maxRetriesPerRequest: null`: a command waits for a lost connection instead of failing
 * @param onError told of connection errors; the connection's own handler reports them already, so the default says nothing twice
 */
export function openEventQueue(
  redis: Redis,
  prefix = DEFAULT_PREFIX,
  onError: (error: Error) => void = () => undefined,
): EventQueue {
  return new EventQueue(openQueue<DetectedEvent>(redis, EVENTS_QUEUE, prefix, onError));
}

/** Opens a BullMQ queue whose errors have a listener; without one BullMQ writes them to the console. */
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
