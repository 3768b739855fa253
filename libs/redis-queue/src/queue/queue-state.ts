import { PRECEDENCES, type Precedence } from '@ssb/events';
import type { JobState, Queue } from 'bullmq';
import { parsePublishResult, type PublishResult } from './domain/publish-result.js';
import type { RedisConnection } from '../redis/servers.js';

/** BullMQ's score of a job in `prioritized` is its priority times this, plus a counter. */
const PRIORITY_STEP = 0x1_0000_0000;

/** Number of jobs in each state. `waiting` jobs have any precedence; `delayed` jobs wait for their next attempt; `failed` should be 0. */
export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

/** A job of the queue, as far as its worker has recorded it. Another client of Redis may have written the texts. */
export interface JobProgress {
  /** `unknown`: there is no such job. */
  readonly state: JobState | 'unknown';
  /** Why its last attempt did not publish it. */
  readonly reason: string | undefined;
  /** Result of a completed test heartbeat. */
  readonly result: PublishResult | undefined;
}

export async function readProgress(
  queue: Queue<unknown>,
  redis: RedisConnection,
  jobId: string,
): Promise<JobProgress> {
  const state = await queue.getJobState(jobId);
  const [reason, value] = await redis.hmget(queue.toKey(jobId), 'failedReason', 'returnvalue');
  const result = parsePublishResult(value ?? '');
  // A job can be completed between the two reads. Only a completed job has a result.
  return { state: result === undefined ? state : 'completed', reason: reason || undefined, result };
}

export async function readDepth(queue: Queue<unknown>): Promise<QueueDepth> {
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
  return {
    // BullMQ keeps jobs of priority 0 in `wait`, and others in `prioritized`.
    waiting: (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0),
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    failed: counts['failed'] ?? 0,
  };
}

/** When the oldest available job became available; undefined when no job is available at `now`. */
export async function findOldestWaiting(
  queue: Queue<unknown>,
  redis: RedisConnection,
  now: Date,
): Promise<Date | undefined> {
  const heads = await Promise.all([
    queue.getRanges(['waiting'], 0, 0, true),
    queue.getRanges(['delayed'], 0, 0, true),
    ...PRECEDENCES.filter((each) => each > 0).map((each) => findOldestOf(each, queue, redis)),
  ]);
  const times = await Promise.all(heads.flat().map((id) => readTimes(queue.toKey(id), redis)));
  const available = times.map(availableSince).filter((since) => since <= now.getTime());
  return available.length === 0 ? undefined : new Date(Math.min(...available));
}

/** BullMQ keeps the jobs of all other precedences in one set, in the order of precedence and addition. */
function findOldestOf(
  precedence: Precedence,
  queue: Queue<unknown>,
  redis: RedisConnection,
): Promise<string[]> {
  const [first, next] = [precedence, precedence + 1].map((each) => each * PRIORITY_STEP);
  return redis.zrange(queue.toKey('prioritized'), `${first}`, `(${next}`, 'BYSCORE', 'LIMIT', 0, 1);
}

/** Without the job's data, which may be large. */
async function readTimes(key: string, redis: RedisConnection): Promise<JobTimes> {
  const fields = await redis.hmget(key, 'timestamp', 'processedOn', 'delay');
  const [timestamp = 0, processedOn = 0, delay = 0] = fields.map((field) => Number(field) || 0);
  return { timestamp, processedOn, delay };
}

/** The times that BullMQ stores for a job. */
export interface JobTimes {
  /** When it was added, epoch milliseconds. */
  readonly timestamp: number;
  /** When its latest attempt began, epoch milliseconds. */
  readonly processedOn?: number;
  /** The backoff after that attempt, milliseconds. */
  readonly delay: number;
}

/** When a job became or becomes available to a worker, epoch milliseconds. During its backoff this time is in the future. */
export function availableSince({ timestamp, processedOn, delay }: JobTimes): number {
  return Math.max(timestamp, processedOn ?? 0) + delay;
}
