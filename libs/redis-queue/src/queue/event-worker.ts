import { isTestHeartbeat, precedenceOf, type DetectedEvent, type Precedence } from '@ssb/events';
import type { Job } from 'bullmq';
import { BoundedWorker } from './bounded-worker.js';
import type { FailedJobReports } from './dead-letters/failed-jobs.js';
import type { PublishResult } from './domain/publish-result.js';
import { HEARTBEAT_TYPE } from './domain/refused-job.js';
import { EventAuthenticator } from './event-authenticator.js';
import { boundedWorkerOptions, type EventWorkerOptions } from './event-worker-options.js';
import { factJobOptions, heartbeatJobOptions, jobOptions } from './job-options.js';
import { JobRefusals, PublicationPostponedError, removeJob } from './job-refusals.js';
import { EVENTS_QUEUE } from './open-queue.js';
import { readableBackend } from './readable-job.js';

/** Events up to this precedence are published in the order of the queue, because one response can raise a level and its end. */
const LAST_ORDERED: Precedence = 1;

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
      boundedWorkerOptions(options),
      readableBackend(options.redis),
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
