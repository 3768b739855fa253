import { backoffDelayMs, type Backoff } from '@ssb/net';
import type { BoundedWorkerOptions } from './bounded-worker.js';
import type { DeadLetters } from './dead-letters/dead-letters.js';
import { DEFAULT_PREFIX, type QueueOptions } from './open-queue.js';

const BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };
/** After an outage, an urgent event is retried within this time. There are few of them. */
const MAX_URGENT_BACKOFF_MS = 2_000;

/** Urgent events that are processed beside `concurrency`. */
export const RESERVED_CONCURRENCY = 4;
/** Characters. The largest event has 8 MiB. */
const MAX_DATA_IN_FLIGHT = 4 * 1024 * 1024;

/** The worker opens a second connection for its blocking reads. */
export interface EventWorkerOptions extends QueueOptions {
  /** Maximum number of events that are processed at once, besides RESERVED_CONCURRENCY urgent ones. */
  readonly concurrency: number;
  /** Characters of the events in flight. At this size no further event is taken. Default 4 Mi. */
  readonly maxDataInFlight?: number;
  readonly deadLetters: DeadLetters;
  /** Called with errors outside an attempt (connection lost, lock lost). Must not throw. */
  readonly onError: (error: Error) => void;
  /** Called at the start of the first attempt of a job with the time since its addition, milliseconds. */
  readonly onFirstAttempt?: (waitedMs: number) => void;
  /** Another worker takes a job over when its lock was not renewed for this time. Default 15 s. */
  readonly lockMs?: number;
  /** Interval of the search for jobs of dead workers. Default 5 s. */
  readonly stalledCheckMs?: number;
  /** How long a closing worker waits for Redis after its last attempt has ended. Default 5 s. */
  readonly closeMs?: number;
  /** Delay of an event that was not published. Default 0.5 s to 30 s. */
  readonly backoff?: Backoff;
  /** Attempts after which a job with the HMAC of an unknown key is refused. Default 30, about ten minutes. */
  readonly unknownKeyAttempts?: number;
}

/** How BullMQ runs the worker: limits, locks and the backoff of events that were not published. */
export function boundedWorkerOptions(options: EventWorkerOptions): BoundedWorkerOptions {
  const backoff = options.backoff ?? BACKOFF;
  const urgentBackoff = { ...backoff, maxMs: Math.min(backoff.maxMs, MAX_URGENT_BACKOFF_MS) };
  return {
    connection: options.redis,
    prefix: options.prefix ?? DEFAULT_PREFIX,
    concurrency: options.concurrency,
    reserved: RESERVED_CONCURRENCY,
    maxDataInFlight: options.maxDataInFlight ?? MAX_DATA_IN_FLIGHT,
    lockDuration: options.lockMs ?? 15_000,
    stalledInterval: options.stalledCheckMs ?? 5_000,
    // With the default of 1, a publisher that is killed twice would make an event fail.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    // Pause after a lost connection. The default of 15 s would delay events long after Redis is back.
    runRetryDelay: 1_000,
    settings: {
      backoffStrategy: (attempts, _type, _error, job) =>
        backoffDelayMs(attempts, job?.opts.priority === 0 ? urgentBackoff : backoff, Math.random()),
    },
  };
}
