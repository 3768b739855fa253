import { UnrecoverableError, type Job } from 'bullmq';
import type { DeadLetters } from './dead-letters/dead-letters.js';
import type { FailedJobReports } from './dead-letters/failed-jobs.js';
import { describeRefusedJob, HEARTBEAT_TYPE, type Refusal } from './domain/refused-job.js';

/** With the default backoff about ten minutes: longer than a mounted secret needs to reach every host. */
const UNKNOWN_KEY_ATTEMPTS = 30;

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

/** Ends the job. BullMQ removes it in the same step, so that no failed or completed job blocks its id. */
export function removeJob(job: Job<unknown>, reason: string): never {
  // BullMQ's script compares the attempts also of a job that is removed, so the other options stay.
  job.opts = { ...job.opts, removeOnFail: true };
  throw new UnrecoverableError(reason);
}

export interface JobRefusalOptions {
  readonly deadLetters: Pick<DeadLetters, 'addRefused'>;
  /** Called once for each job that is retried because its key is unknown. */
  readonly onError: (error: Error) => void;
  /** Attempts after which a job with the HMAC of an unknown key is refused. Default 30, about ten minutes. */
  readonly unknownKeyAttempts?: number;
}

/** Handles jobs without a valid HMAC, which are not published. */
export class JobRefusals {
  constructor(
    private readonly options: JobRefusalOptions,
    private readonly reports: Pick<FailedJobReports, 'reportRefused'>,
  ) {}

  /** A rotated key can reach the poller before this process, so a job of an unknown key is retried for some time. */
  async postponeOrRefuse(job: Job<unknown>, refusal: Refusal): Promise<never> {
    const { unknownKeyAttempts = UNKNOWN_KEY_ATTEMPTS, onError } = this.options;
    // A forged number of attempts only delays the refusal.
    if (refusal !== 'unknown-version' || !(job.attemptsMade + 1 < unknownKeyAttempts))
      return this.refuse(job, refusal);
    const { jobId, reason } = describeRefusedJob(job.id ?? '', job.data, refusal);
    const postponed = new PublicationPostponedError(jobId, `Job ${jobId}: ${reason} It is retried.`);
    if (job.attemptsMade === 0) onError(postponed);
    throw postponed;
  }

  /** A heartbeat is dropped, because it has no value later. */
  private async refuse(job: Job<unknown>, refusal: Refusal): Promise<never> {
    const refused = describeRefusedJob(job.id ?? '', job.data, refusal);
    await this.reports.reportRefused([refused]);
    if (refused.eventType !== HEARTBEAT_TYPE) await this.options.deadLetters.addRefused(refused, job.data);
    return removeJob(job, refused.reason);
  }
}
