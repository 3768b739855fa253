import { precedenceOf, type DetectedEvent } from '@ssb/events';
import type { JobsOptions } from 'bullmq';

/** BullMQ calls the worker's `backoffStrategy` for a type that is not built in. */
const BACKOFF_TYPE = 'capped-exponential';

const DAY_SECONDS = 24 * 3600;

/** How the job of an event is handled. */
export type EventJobOptions = JobsOptions & { readonly jobId: string };

/**
 * Options of one event's job. The event's id is the job's id, so adding the same event twice creates one job.
 * @param eventId deterministic id of the event
 */
export function jobOptions(eventId: string): EventJobOptions {
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

/** Id of the job of a backfilled event. @param backfill id of the backfill, under which an event is in the queue once */
export function backfilledJobId(eventId: string, backfill: string): string {
  return `${eventId}-${backfill}`;
}

/** Whether a job of this id can hold the event. @param backfilled as the event says */
export function isJobIdOf(id: string, eventId: string, backfilled: unknown): boolean {
  return id === eventId || (backfilled === true && id.startsWith(`${eventId}-`));
}

/** Options of the job of a fact. A backfilled one leaves no completed job, which would displace the kept ids of facts. */
export function factJobOptions(
  jobId: string,
  { type, backfilled }: Pick<DetectedEvent, 'type' | 'backfilled'>,
): EventJobOptions {
  return {
    ...jobOptions(jobId),
    priority: precedenceOf({ type, backfilled }),
    ...(backfilled === true && { removeOnComplete: true }),
  };
}

/**
 * Options of a heartbeat's job. All heartbeats of one subject share a job id and leave no completed job, so that at most one of them waits,
 * and none displaces the kept ids of facts.
 */
export function heartbeatJobOptions(jobId: string): EventJobOptions {
  return { ...jobOptions(jobId), priority: HEARTBEAT_PRECEDENCE, removeOnComplete: true };
}

const HEARTBEAT_PRECEDENCE = precedenceOf({ type: 'settlementbus.bridge.heartbeat.v1' });
