import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DetectedEvent } from '@ssb/events';
import { DEAD_LETTER_QUEUE, DEFAULT_PREFIX, EVENTS_QUEUE, jobOptions, openQueue } from './event-queue.js';

/** Longer than the move of a hundred failed jobs. Ends when its holder dies. */
const FAILED_JOBS_LOCK_MS = 60_000;

/** An event whose job failed, and why. */
export type FailedEvent = Pick<DeadLetter, 'event' | 'reason'>;

/** An event that cannot be published until an operator acts. Times are RFC 3339 in UTC. */
export interface DeadLetter {
  readonly event: DetectedEvent;
  readonly reason: string;
  readonly deadLetteredAt: string;
  /** When an operator last replayed it; absent before the first replay. */
  readonly replayedAt?: string;
}

/**
 * The result of a replay. `already-queued`: a job of this id is in the queue. `already-published`: only the dead letter was left, and is
 * now removed.
 */
export type ReplayResult = 'replayed' | 'already-queued' | 'already-published' | 'not-found';

/**
 * Events that wait for an operator. A dead letter is removed only after its event was published. After any crash the event is in the queue,
 * in this list, or published.
 */
export class DeadLetters {
  constructor(
    private readonly events: Queue<DetectedEvent>,
    private readonly letters: Queue<DeadLetter>,
    private readonly redis: Redis,
  ) {}

  /** Adds an event durably; a repeat updates reason and time. The caller then removes its job, so that it blocks no later one. */
  async add(event: DetectedEvent, reason: string, now = new Date()): Promise<void> {
    const letter: DeadLetter = { event, reason, deadLetteredAt: now.toISOString() };
    const job = await this.letters.add(event.type, letter, { jobId: event.id });
    // After a failed replay the id exists already, and adding it changed nothing.
    await job.updateData(letter);
  }

  /** Removes the dead letter of a published event. Harmless when there is none. */
  async remove(id: string): Promise<void> {
    await this.letters.remove(id);
  }

  /** The dead letters, oldest first. */
  async list(limit = 1_000): Promise<DeadLetter[]> {
    const jobs = await this.letters.getWaiting(0, limit - 1);
    return jobs.map((job) => job.data);
  }

  /** The number of dead letters, those being replayed included. */
  async count(): Promise<number> {
    return this.letters.getWaitingCount();
  }

  /** Queues the event again with a new count of attempts. Harmless when repeated. */
  async replay(id: string, now = new Date()): Promise<ReplayResult> {
    const letter = await this.letters.getJob(id);
    if (!letter) return 'not-found';
    const state = await this.events.getJobState(id);
    if (state === 'completed') {
      await this.remove(id);
      return 'already-published';
    }
    if (state !== 'unknown' && state !== 'failed') return 'already-queued';
    await letter.updateData({ ...letter.data, replayedAt: now.toISOString() });
    if (state === 'failed') await this.events.remove(id);
    await this.events.add(letter.data.event.type, letter.data.event, jobOptions(id));
    return 'replayed';
  }

  /**
   * Moves the failed jobs of the events queue to the dead letters, and removes failed heartbeats. The worker leaves none, but one from
   * elsewhere would block its id. Does nothing while another process does it.
   * @param report called before the move, unless there is nothing to move
   * @returns the number of dead letters
   */
  async addFailedJobs(report: (letters: readonly FailedEvent[]) => Promise<void>): Promise<number> {
    const lock = this.letters.toKey('failed-jobs-lock');
    if ((await this.redis.set(lock, '1', 'PX', FAILED_JOBS_LOCK_MS, 'NX')) === null) return 0;
    try {
      return await this.moveFailedJobs(report);
    } finally {
      await this.redis.del(lock);
    }
  }

  private async moveFailedJobs(report: (letters: readonly FailedEvent[]) => Promise<void>): Promise<number> {
    // A job that was removed meanwhile is undefined.
    const listed: (Job<DetectedEvent> | undefined)[] = await this.events.getFailed(0, 99);
    const jobs = listed.filter((job) => job !== undefined);
    const letters = jobs
      .filter((job) => !isHeartbeat(job.data))
      .map((job) => ({ event: job.data, reason: `failed outside the publisher: ${job.failedReason}` }));
    if (letters.length > 0) await report(letters);
    for (const { event, reason } of letters) await this.add(event, reason);
    for (const job of jobs) await job.remove();
    return letters.length;
  }

  /** Closes both queues. The caller closes the connection. */
  async close(): Promise<void> {
    await Promise.all([this.events.close(), this.letters.close()]);
  }
}

function isHeartbeat({ type }: DetectedEvent): boolean {
  return type === 'settlementbus.bridge.heartbeat.v1';
}

/** Opens the dead letters on a connection that the caller owns and closes. */
export function openDeadLetters(
  redis: Redis,
  prefix = DEFAULT_PREFIX,
  onError: (error: Error) => void = () => undefined,
): DeadLetters {
  return new DeadLetters(
    openQueue<DetectedEvent>(redis, EVENTS_QUEUE, prefix, onError),
    openQueue<DeadLetter>(redis, DEAD_LETTER_QUEUE, prefix, onError),
    redis,
  );
}
