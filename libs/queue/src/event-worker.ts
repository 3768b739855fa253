import { backoffDelayMs, type Backoff } from '@ssb/resilience';
import { UnrecoverableError, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DetectedEvent } from '@ssb/events';
import type { DeadLetters } from './dead-letters.js';
import { BoundedWorker } from './bounded-worker.js';
import { DeliveryPostponedError, type Handled } from './handled.js';
import { DEFAULT_PREFIX, EVENTS_QUEUE } from './names.js';

const BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };

/** One attempt at one event. */
export interface Attempt {
  readonly event: DetectedEvent;
  /** From 1. */
  readonly attempt: number;
  readonly queuedAt: Date;
}

export interface EventWorkerOptions {
  /** Kept and closed by the caller; the worker opens a second connection beside it for its blocking reads. */
  readonly redis: Redis;
  readonly prefix?: string;
  /** Events in work at once. */
  readonly concurrency: number;
  readonly deadLetters: DeadLetters;
  readonly handle: (attempt: Attempt) => Promise<Handled>;
  /** Told of what the worker met outside an attempt (connection lost, lock lost). Must not throw. */
  readonly onError: (error: Error) => void;
  /** After this long without a sign of life another worker takes the job over. Default 15 s. */
  readonly lockMs?: number;
  /** How often jobs of dead workers are looked for. Default 5 s. */
  readonly stalledCheckMs?: number;
  /** How long a closing worker waits for Redis once no attempt is under way. Default 5 s. */
  readonly closeMs?: number;
  /** Delay of an event that could not be delivered. Default 0.5 s to 30 s. */
  readonly backoff?: Backoff;
}

/**
 * Takes events from the queue, at least once each. A job ends in one of three ways: `delivered` (kept a day, so that repeats
 * vanish), `retry` (waits in Redis, without end), `dead-letter` (parked, then gone from the queue).
 */
export class EventWorker {
  private readonly worker: BoundedWorker<DetectedEvent>;
  private progressAt = Date.now();
  private readonly attempts = new Set<Promise<void>>();

  constructor(private readonly options: EventWorkerOptions) {
    const backoff = options.backoff ?? BACKOFF;
    this.worker = new BoundedWorker<DetectedEvent>(EVENTS_QUEUE, (job) => this.attempt(job), {
      connection: options.redis,
      prefix: options.prefix ?? DEFAULT_PREFIX,
      concurrency: options.concurrency,
      lockDuration: options.lockMs ?? 15_000,
      stalledInterval: options.stalledCheckMs ?? 5_000,
      // A publisher that is killed over and over must not make an event fail: the default of 1 would.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // After a lost connection: the default of 15 s would hold up events long after Redis is back.
      runRetryDelay: 1_000,
      settings: { backoffStrategy: (attempts) => backoffDelayMs(attempts, backoff, Math.random()) },
    });
    this.worker.on('error', options.onError);
  }

  /** When an attempt last began or ended; the start of the worker when there was none yet. */
  lastProgress(): Date {
    return new Date(this.progressAt);
  }

  /** Takes no further jobs; those in work go on. */
  async stopIntake(): Promise<void> {
    await this.worker.pause(true);
  }

  /** Waits for the attempts under way, then closes the worker's own connections; it does not wait for a Redis that is away. */
  async close(): Promise<void> {
    await this.worker.closeWithin(this.options.closeMs ?? 5_000, this.idle());
  }

  /** Resolves when no attempt is under way. */
  private async idle(): Promise<void> {
    while (this.attempts.size > 0) await Promise.allSettled(this.attempts);
  }

  private attempt(job: Job<DetectedEvent>): Promise<void> {
    const attempt = this.handle(job).finally(() => this.attempts.delete(attempt));
    this.attempts.add(attempt);
    return attempt;
  }

  private async handle(job: Job<DetectedEvent>): Promise<void> {
    this.progressAt = Date.now();
    try {
      await this.settle(
        job,
        await this.options.handle({
          event: job.data,
          attempt: job.attemptsMade + 1,
          queuedAt: new Date(job.timestamp),
        }),
      );
    } finally {
      this.progressAt = Date.now();
    }
  }

  private async settle(job: Job<DetectedEvent>, handled: Handled): Promise<void> {
    const { deadLetters } = this.options;
    switch (handled.outcome) {
      case 'delivered':
        // Before the job completes: a crash in between repeats the attempt and settles again.
        await deadLetters.settle(job.data.id);
        return;
      case 'retry':
        throw new DeliveryPostponedError(job.data.id, handled.reason);
      case 'dead-letter':
        await deadLetters.park(job.data, handled.reason);
        // Read when the job is moved out of `active`, in one step with its removal: it leaves no failed job that blocks the id.
        job.opts.removeOnFail = true;
        throw new UnrecoverableError(handled.reason);
      default:
        return handled satisfies never;
    }
  }
}
