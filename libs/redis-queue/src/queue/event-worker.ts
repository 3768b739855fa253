import { isTestHeartbeat, precedenceOf, type DetectedEvent, type Precedence } from '@ssb/events';
import { backoffDelayMs, type Backoff } from '@ssb/net';
import type { Job } from 'bullmq';
import { BoundedWorker, type BoundedWorkerOptions } from './bounded-worker.js';
import type { DeadLetters } from './dead-letters/dead-letters.js';
import type { FailedJobReports } from './dead-letters/failed-jobs.js';
import type { PublishResult } from './domain/publish-result.js';
import { HEARTBEAT_TYPE } from './domain/refused-job.js';
import { EventAuthenticator } from './event-authenticator.js';
import { factJobOptions, heartbeatJobOptions, jobOptions } from './event-queue.js';
import { JobRefusals, PublicationPostponedError, removeJob, type JobRefusalOptions } from './job-refusals.js';
import { DEFAULT_PREFIX, EVENTS_QUEUE, type QueueOptions } from './open-queue.js';

/** Events up to this precedence are published in the order of the queue, because one response can raise a breach and its recovery. */
const LAST_ORDERED: Precedence = 1;

const BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };
/** After an outage, an event of precedence 0 is retried within this time. There are few of them. */
const MAX_SHORT_BACKOFF_MS = 2_000;

/** Events of precedence 0 that are processed in addition to `concurrency`. */
export const RESERVED_CONCURRENCY = 4;
/** Characters. The largest event has 8 MiB. */
const MAX_DATA_IN_FLIGHT = 4 * 1024 * 1024;

/** The worker opens a second connection for its blocking reads. */
export interface EventWorkerOptions extends QueueOptions, JobRefusalOptions {
  /** Maximum number of events that are processed at once, in addition to RESERVED_CONCURRENCY of precedence 0. */
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
}

/** One attempt to publish an event. */
export interface PublishAttempt {
  readonly event: DetectedEvent;
  /** From 1. */
  readonly attempt: number;
}

/** Publishes the events that a worker takes from the queue. */
export interface Publisher {
  /** Makes one attempt. A rejection counts as `retry`, because an unexpected error must not drop an event. */
  publish(attempt: PublishAttempt): Promise<PublishResult>;
}

/**
 * Takes events from the queue, each at least once, and publishes them. A published job is kept to detect repeats, a postponed one is retried
 * indefinitely, and any other moves to the dead letters.
 */
export class EventWorker {
  private readonly worker: BoundedWorker<unknown>;
  private readonly authenticator: EventAuthenticator;
  private readonly refusals: JobRefusals;
  private readonly turns = new SubjectTurns();
  private progressAt = Date.now();

  constructor(
    private readonly options: EventWorkerOptions,
    private readonly publisher: Publisher,
    reports: Pick<FailedJobReports, 'reportRefused'>,
  ) {
    this.worker = new BoundedWorker<unknown>(
      EVENTS_QUEUE,
      (job) => this.process(job),
      toBoundedWorkerOptions(options),
    );
    this.worker.on('error', options.onError);
    this.authenticator = new EventAuthenticator(options.keys, this.worker);
    this.refusals = new JobRefusals(options, reports);
  }

  /** When an attempt last began or ended; the start of the worker before its first attempt. */
  lastProgress(): Date {
    return new Date(this.progressAt);
  }

  /** Takes no further jobs. Attempts in flight continue. */
  async stopIntake(): Promise<void> {
    await this.worker.stopIntake();
  }

  /** Waits for the attempts in flight, then closes the worker's own connections. It does not wait for an unavailable Redis. */
  async close(): Promise<void> {
    await this.worker.closeWithin(this.options.closeMs ?? 5_000);
  }

  /** @returns what BullMQ keeps with the job: the result of a test heartbeat, for the command that waits for it */
  private async process(job: Job<unknown>): Promise<PublishResult | undefined> {
    this.progressAt = Date.now();
    if (job.attemptsMade === 0) this.options.onFirstAttempt?.(this.progressAt - job.timestamp);
    try {
      const { id = '' } = job;
      // Options in Redis may be anything.
      job.opts = jobOptions(id);
      const verdict = await this.authenticator.verify(id, job.data);
      if (!verdict.ok) return await this.refusals.postponeOrRefuse(job, verdict.reason);
      const { event } = verdict;
      const isTest = isTestHeartbeat(event);
      if (event.type === HEARTBEAT_TYPE && !isTest) job.opts = heartbeatJobOptions(id);
      else job.opts = factJobOptions(id, event);
      const publish = (): Promise<PublishResult> =>
        this.publisher.publish({ event, attempt: job.attemptsMade + 1 });
      const isOrdered = precedenceOf(event) <= LAST_ORDERED;
      const result = await (isOrdered ? this.turns.run(event.subject, publish) : publish());
      await this.recordResult(job, event, result);
      return isTest ? result : undefined;
    } finally {
      this.progressAt = Date.now();
    }
  }

  private async recordResult(job: Job<unknown>, event: DetectedEvent, result: PublishResult): Promise<void> {
    const { deadLetters } = this.options;
    const { id = event.id } = job;
    switch (result.outcome) {
      case 'published':
      case 'dropped':
        // A retried event still has its dead letter. After a crash before the job completes, the next attempt removes it.
        await deadLetters.remove(id);
        return;
      case 'retry':
        throw new PublicationPostponedError(event.id, result.reason);
      case 'dead-letter':
        await deadLetters.add(event, result.reason, id, new Date(), result.cause);
        return removeJob(job, result.reason);
      default:
        return result satisfies never;
    }
  }
}

/** How BullMQ runs the worker: limits, locks and the backoff of events that were not published. */
function toBoundedWorkerOptions(options: EventWorkerOptions): BoundedWorkerOptions {
  const backoff = options.backoff ?? BACKOFF;
  const shortBackoff = { ...backoff, maxMs: Math.min(backoff.maxMs, MAX_SHORT_BACKOFF_MS) };
  return {
    connection: options.redis,
    prefix: options.prefix ?? DEFAULT_PREFIX,
    concurrency: options.concurrency,
    reserved: RESERVED_CONCURRENCY,
    lastOrdered: LAST_ORDERED,
    maxDataInFlight: options.maxDataInFlight ?? MAX_DATA_IN_FLIGHT,
    lockDuration: options.lockMs ?? 15_000,
    stalledInterval: options.stalledCheckMs ?? 5_000,
    // With the default of 1, a publisher that is killed twice would make an event fail.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    // Pause after a lost connection. The default of 15 s would delay events long after Redis is back.
    runRetryDelay: 1_000,
    settings: {
      backoffStrategy: (attempts, _type, _error, job) =>
        backoffDelayMs(attempts, job?.opts.priority === 0 ? shortBackoff : backoff, Math.random()),
    },
  };
}

/** Lets work of one subject run one after the other, in the order of the calls. Work of other subjects does not wait. */
class SubjectTurns {
  /** The end of the last work of each subject with pending work. */
  private readonly ends = new Map<string, Promise<void>>();

  async run<T>(subject: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.ends.get(subject) ?? Promise.resolve()).then(work);
    const end = turn.then(
      () => undefined,
      () => undefined,
    );
    this.ends.set(subject, end);
    try {
      return await turn;
    } finally {
      if (this.ends.get(subject) === end) this.ends.delete(subject);
    }
  }
}
