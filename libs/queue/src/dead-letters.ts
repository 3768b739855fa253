import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DetectedEvent } from '@ssb/events';
import { DEAD_LETTER_QUEUE, DEFAULT_PREFIX, EVENTS_QUEUE, jobOptions, openQueue } from './event-queue.js';

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
   * Moves the failed jobs of the events queue to the dead letters. The worker leaves none, but one from elsewhere would block its id.
   * @returns the number of moved jobs
   */
  async addFailedJobs(): Promise<number> {
    const jobs = await this.events.getFailed(0, 99);
    for (const job of jobs) {
      await this.add(job.data, `failed outside the publisher: ${job.failedReason}`);
      await job.remove();
    }
    return jobs.length;
  }

  /** Closes both queues. The caller closes the connection. */
  async close(): Promise<void> {
    await Promise.all([this.events.close(), this.letters.close()]);
  }
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
  );
}
