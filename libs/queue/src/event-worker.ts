import { backoffDelayMs, TimeoutError, withTimeout, type Backoff } from '@ssb/resilience';
import { UnrecoverableError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DetectedEvent } from '@ssb/events';
import type { DeadLetters } from './dead-letters.js';
import { DEFAULT_PREFIX, EVENTS_QUEUE } from './event-queue.js';

const BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };
const DISCONNECT_TIMEOUT_MS = 100;

/** One attempt to deliver an event. */
export interface DeliveryAttempt {
  readonly event: DetectedEvent;
  /** From 1. */
  readonly attempt: number;
  readonly queuedAt: Date;
}

/** The result of an attempt. A handler that throws counts as `retry`: an unexpected error must not drop an event. */
export type DeliveryResult =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'retry'; readonly reason: string }
  | { readonly outcome: 'dead-letter'; readonly reason: string };

/** The event was not delivered, and is retried after a backoff. */
export class DeliveryPostponedError extends Error {
  override readonly name = 'DeliveryPostponedError';

  constructor(
    readonly eventId: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}

export interface EventWorkerOptions {
  /** The caller keeps and closes it. The worker opens a second connection for its blocking reads. */
  readonly redis: Redis;
  readonly prefix?: string;
  /** Maximum number of events that are processed at once. */
  readonly concurrency: number;
  readonly deadLetters: DeadLetters;
  readonly handle: (attempt: DeliveryAttempt) => Promise<DeliveryResult>;
  /** Called with errors outside an attempt (connection lost, lock lost). Must not throw. */
  readonly onError: (error: Error) => void;
  /** Another worker takes a job over when its lock was not renewed for this time. Default 15 s. */
  readonly lockMs?: number;
  /** Interval of the search for jobs of dead workers. Default 5 s. */
  readonly stalledCheckMs?: number;
  /** How long a closing worker waits for Redis after its last attempt has ended. Default 5 s. */
  readonly closeMs?: number;
  /** Delay of an event that was not delivered. Default 0.5 s to 30 s. */
  readonly backoff?: Backoff;
}

/**
 * Takes events from the queue, each at least once. A delivered job is kept to detect repeats, a postponed one is retried indefinitely, a
 * dead letter is parked.
 */
export class EventWorker {
  private readonly worker: BoundedWorker<DetectedEvent>;
  private progressAt = Date.now();
  private readonly attempts = new Set<Promise<void>>();

  constructor(private readonly options: EventWorkerOptions) {
    const backoff = options.backoff ?? BACKOFF;
    this.worker = new BoundedWorker<DetectedEvent>(EVENTS_QUEUE, (job) => this.track(this.process(job)), {
      connection: options.redis,
      prefix: options.prefix ?? DEFAULT_PREFIX,
      concurrency: options.concurrency,
      lockDuration: options.lockMs ?? 15_000,
      stalledInterval: options.stalledCheckMs ?? 5_000,
      // With the default of 1, a publisher that is killed twice would make an event fail.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // Pause after a lost connection. The default of 15 s would delay events long after Redis is back.
      runRetryDelay: 1_000,
      settings: { backoffStrategy: (attempts) => backoffDelayMs(attempts, backoff, Math.random()) },
    });
    this.worker.on('error', options.onError);
  }

  /** When an attempt last began or ended; the start of the worker before its first attempt. */
  lastProgress(): Date {
    return new Date(this.progressAt);
  }

  /** Takes no further jobs. Attempts in flight continue. */
  async stopIntake(): Promise<void> {
    await this.worker.pause(true);
  }

  /** Waits for the attempts in flight, then closes the worker's own connections. It does not wait for an unavailable Redis. */
  async close(): Promise<void> {
    await this.worker.closeWithin(this.options.closeMs ?? 5_000, this.untilIdle());
  }

  private async untilIdle(): Promise<void> {
    while (this.attempts.size > 0) await Promise.allSettled(this.attempts);
  }

  private async track(attempt: Promise<void>): Promise<void> {
    this.attempts.add(attempt);
    try {
      await attempt;
    } finally {
      this.attempts.delete(attempt);
    }
  }

  private async process(job: Job<DetectedEvent>): Promise<void> {
    this.progressAt = Date.now();
    try {
      const result = await this.options.handle({
        event: job.data,
        attempt: job.attemptsMade + 1,
        queuedAt: new Date(job.timestamp),
      });
      await this.recordResult(job, result);
    } finally {
      this.progressAt = Date.now();
    }
  }

  private async recordResult(job: Job<DetectedEvent>, result: DeliveryResult): Promise<void> {
    const { deadLetters } = this.options;
    switch (result.outcome) {
      case 'delivered':
        // Before the job completes: after a crash in between, the repeated attempt removes the letter again.
        await deadLetters.remove(job.data.id);
        return;
      case 'retry':
        throw new DeliveryPostponedError(job.data.id, result.reason);
      case 'dead-letter':
        await deadLetters.park(job.data, result.reason);
        // BullMQ then removes the job in the same step, so that no failed job blocks the id.
        job.opts.removeOnFail = true;
        throw new UnrecoverableError(result.reason);
      default:
        return result satisfies never;
    }
  }
}

/**
 * BullMQ's worker with a bounded close. While Redis is unavailable, BullMQ waits indefinitely for the end of a connection
 * (taskforcesh/bullmq#4656) and for the result of a job that cannot be written.
 */
class BoundedWorker<T> extends Worker<T> {
  /**
   * Closes as BullMQ does, but waits no longer than `timeoutMs` after the last attempt. A job whose result could not be written stays
   * active in Redis until another worker finds its lock expired.
   */
  async closeWithin(timeoutMs: number, idle: Promise<void>): Promise<void> {
    const closed = this.close();
    await Promise.race([closed, idle]);
    if (await resolvesWithin(closed, timeoutMs)) return;
    await this.lockManager.close();
    // There is no client, or none yet, when Redis was never reached.
    const disconnected = Promise.resolve(this.backend.blockingClient).then((client) => client?.disconnect());
    await resolvesWithin(disconnected, DISCONNECT_TIMEOUT_MS);
  }
}

/** Whether the promise resolves in time. @throws the promise's error */
async function resolvesWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  try {
    await withTimeout(promise, timeoutMs);
    return true;
  } catch (error) {
    if (error instanceof TimeoutError) return false;
    throw error;
  }
}

/** How long a job has been available, and how long ago the worker last made progress. */
export interface ProgressReading {
  readonly oldestWaitingMs: number;
  readonly sinceProgressMs: number;
}

/** Whether a running worker makes no progress although jobs are available. An old job alone can also mean a long queue after an outage. */
export function isStuck({ oldestWaitingMs, sinceProgressMs }: ProgressReading, limitMs: number): boolean {
  return oldestWaitingMs > limitMs && sinceProgressMs > limitMs;
}
