import type { DetectedEvent } from '@ssb/events';
import { backoffDelayMs, type Backoff } from '@ssb/resilience';
import { UnrecoverableError, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { BoundedWorker } from './bounded-worker.js';
import type { DeadLetters } from './dead-letters.js';
import { DEFAULT_PREFIX, EVENTS_QUEUE } from './event-queue.js';

const BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };

/** One attempt to publish an event. */
export interface PublishAttempt {
  readonly event: DetectedEvent;
  /** From 1. */
  readonly attempt: number;
}

export type PublishResult =
  | { readonly outcome: 'published' }
  | { readonly outcome: 'retry'; readonly reason: string }
  | { readonly outcome: 'dead-letter'; readonly reason: string }
  /** The event is neither retried nor kept: no one wants it, or it has no value later. */
  | { readonly outcome: 'dropped'; readonly reason: string };

/** Publishes the events that a worker takes from the queue. */
export interface Publisher {
  /** Makes one attempt. A rejection counts as `retry`, because an unexpected error must not drop an event. */
  publish(attempt: PublishAttempt): Promise<PublishResult>;
}

/** The event was not published, and is retried after a backoff. */
export class PublicationPostponedError extends Error {
  override readonly name = 'PublicationPostponedError';

  constructor(
    readonly eventId: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}

export interface EventWorkerOptions {
  /** The caller owns and closes it. The worker opens a second connection for its blocking reads. */
  readonly redis: Redis;
  readonly prefix?: string;
  /** Maximum number of events that are processed at once. */
  readonly concurrency: number;
  readonly deadLetters: DeadLetters;
  /** Called with errors outside an attempt (connection lost, lock lost). Must not throw. */
  readonly onError: (error: Error) => void;
  /** Another worker takes a job over when its lock was not renewed for this time. Default 15 s. */
  readonly lockMs?: number;
  /** Interval of the search for jobs of dead workers. Default 5 s. */
  readonly stalledCheckMs?: number;
  /** How long a closing worker waits for Redis after its last attempt has ended. Default 5 s. */
  readonly closeMs?: number;
  /** Delay of an event that was not published. Default 0.5 s to 30 s. */
  readonly backoff?: Backoff;
}

/**
 * Takes events from the queue, each at least once, and publishes them. A published job is kept to detect repeats, a postponed one is retried
 * indefinitely, and any other moves to the dead letters.
 */
export class EventWorker {
  private readonly worker: BoundedWorker<DetectedEvent>;
  private progressAt = Date.now();
  private readonly attempts = new Set<Promise<void>>();

  constructor(
    private readonly options: EventWorkerOptions,
    private readonly publisher: Publisher,
  ) {
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
    await this.worker.closeWithin(this.options.closeMs ?? 5_000, this.waitUntilIdle());
  }

  private async waitUntilIdle(): Promise<void> {
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
      const result = await this.publisher.publish({ event: job.data, attempt: job.attemptsMade + 1 });
      await this.recordResult(job, result);
    } finally {
      this.progressAt = Date.now();
    }
  }

  private async recordResult(job: Job<DetectedEvent>, result: PublishResult): Promise<void> {
    const { deadLetters } = this.options;
    switch (result.outcome) {
      case 'published':
      case 'dropped':
        // A replayed event still has its dead letter. After a crash before the job completes, the next attempt removes it.
        await deadLetters.remove(job.data.id);
        return;
      case 'retry':
        throw new PublicationPostponedError(job.data.id, result.reason);
      case 'dead-letter':
        await deadLetters.add(job.data, result.reason);
        // BullMQ then removes the job in the same step, so that no failed job blocks the id.
        job.opts.removeOnFail = true;
        throw new UnrecoverableError(result.reason);
      default:
        return result satisfies never;
    }
  }
}
