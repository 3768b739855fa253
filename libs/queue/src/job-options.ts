import type { JobsOptions } from 'bullmq';

/** BullMQ asks the strategy of the worker for a backoff type that it does not know itself. */
export const BACKOFF_TYPE = 'capped-exponential';

const DAY_SECONDS = 24 * 3600;

/**
 * A delivered job is kept for a day, so that the same id added again is seen to be a repeat; the count bounds the memory. Later
 * repeats are dropped downstream, by the same id.
 */
const KEEP_DELIVERED = { age: DAY_SECONDS, count: 20_000 };

/**
 * Options of one event's job. The event's id is the job's id: adding the same fact twice is one job.
 *
 * @param eventId deterministic id of the event
 */
export function jobOptions(eventId: string): JobsOptions {
  return {
    jobId: eventId,
    // A margin breach is never dropped: only a verdict ends the attempts, never their number.
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: { type: BACKOFF_TYPE },
    removeOnComplete: KEEP_DELIVERED,
    // Whatever fails by a way that nobody thought of stays visible until it is parked.
    removeOnFail: false,
    // BullMQ keeps one stack for each attempt unless told otherwise: without end, here.
    stackTraceLimit: 1,
  };
}
