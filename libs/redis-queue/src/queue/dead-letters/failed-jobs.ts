import type { Queue } from 'bullmq';
import type { DetectedEvent } from '@ssb/events';
import { toPrintable } from '@ssb/net';
import { describeRefusedJob, HEARTBEAT_TYPE, type RefusedJob } from '../domain/refused-job.js';
import type { EventAuthenticator } from '../event-authenticator.js';
import { readStoredJob, removeStoredJob } from '../stored-job.js';
import type { RedisConnection } from '../../redis/servers.js';

/** Longer than the move of a hundred failed jobs. Ends when its holder dies. */
const LOCK_MS = 60_000;
const MAX_JOBS = 100;
const MAX_REASON_LENGTH = 500;

/** An event whose job failed, and why. */
export interface FailedEvent {
  readonly event: DetectedEvent;
  readonly reason: string;
}

/** Reports jobs before they are moved to the dead letters. */
export interface FailedJobReports {
  /** Jobs that failed outside of the worker. */
  reportDeadLetters(letters: readonly FailedEvent[]): Promise<void>;
  /** Jobs without a valid HMAC, which are not published. */
  reportRefused(jobs: readonly RefusedJob[]): Promise<void>;
}

export interface MoveOptions {
  readonly reports: FailedJobReports;
  readonly events: Queue<unknown>;
  readonly redis: RedisConnection;
  /** Key of the lock of all processes. */
  readonly lock: string;
  readonly authenticator: EventAuthenticator;
  readonly addDeadLetter: (event: DetectedEvent, reason: string, jobId: string) => Promise<unknown>;
  readonly addRefused: (job: RefusedJob, data: unknown) => Promise<unknown>;
}

/**
 * Moves the failed jobs to the dead letters, and removes failed heartbeats. Does nothing while another process does it.
 * @returns the number of dead letters
 */
export async function moveFailedJobs(options: MoveOptions): Promise<number> {
  const { redis, lock } = options;
  if ((await redis.set(lock, '1', 'PX', LOCK_MS, 'NX')) === null) return 0;
  try {
    return await move(options);
  } finally {
    await redis.del(lock);
  }
}

async function move(options: MoveOptions): Promise<number> {
  const { events, redis, reports, addDeadLetter, addRefused } = options;
  const ids = await events.getRanges(['failed'], 0, MAX_JOBS - 1, true);
  const letters: (FailedEvent & { readonly jobId: string })[] = [];
  const refused: { job: RefusedJob; data: unknown }[] = [];
  for (const id of ids) {
    const { data, failedReason = '' } = (await readStoredJob(redis, events, id)) ?? {};
    const verdict = await options.authenticator.verify(id, data);
    if (!verdict.ok) refused.push({ job: describeRefusedJob(id, data, verdict.reason), data });
    else if (verdict.event.type !== HEARTBEAT_TYPE)
      letters.push({
        jobId: id,
        event: verdict.event,
        reason: `failed outside the publisher: ${toPrintable(failedReason, MAX_REASON_LENGTH)}`,
      });
  }
  if (letters.length > 0) await reports.reportDeadLetters(letters);
  if (refused.length > 0) await reports.reportRefused(refused.map(({ job }) => job));
  for (const { jobId, event, reason } of letters) await addDeadLetter(event, reason, jobId);
  const kept = refused.filter(({ job }) => job.eventType !== HEARTBEAT_TYPE);
  for (const { job, data } of kept) await addRefused(job, data);
  for (const id of ids) await removeStoredJob(redis, events, id);
  return letters.length + kept.length;
}
