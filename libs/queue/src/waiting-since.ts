/** The times that BullMQ keeps of a job, all in milliseconds: epoch for the first two, a duration for the last. */
export interface JobTimes {
  readonly timestamp: number;
  readonly processedOn?: number;
  readonly delay: number;
}

/**
 * The moment from which a job could have been taken: when it was added, or when its latest attempt began plus the backoff after it.
 * For a job whose backoff has not ended the moment lies in the future.
 *
 * @returns epoch milliseconds
 */
export function waitingSince({ timestamp, processedOn, delay }: JobTimes): number {
  return Math.max(timestamp, processedOn ?? 0) + delay;
}

/** How long nothing was taken although something could have been, and since when the worker has shown no sign of work. */
export interface ProgressReading {
  readonly oldestWaitingMs: number;
  readonly sinceProgressMs: number;
}

/**
 * Whether a worker that looks alive consumes nothing. An old job alone proves nothing: after an outage a long queue is worked off while
 * its last job grows old. Both must exceed the limit.
 */
export function isStuck({ oldestWaitingMs, sinceProgressMs }: ProgressReading, limitMs: number): boolean {
  return oldestWaitingMs > limitMs && sinceProgressMs > limitMs;
}
