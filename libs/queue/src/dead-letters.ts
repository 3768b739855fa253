import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { DetectedEvent } from '@ssb/events';
import { openQueue } from './event-queue.js';
import { jobOptions } from './job-options.js';
import { DEAD_LETTER_QUEUE, DEFAULT_PREFIX, EVENTS_QUEUE } from './names.js';

/** An event that cannot be delivered as things stand. Times are RFC 3339 in UTC. */
export interface DeadLetter {
  readonly event: DetectedEvent;
  readonly reason: string;
  readonly parkedAt: string;
  /** When an operator last sent it round again, if ever since it was parked. */
  readonly replayedAt?: string;
}

/** What became of a replay. */
export type Replay = 'replayed' | 'already-queued' | 'already-delivered' | 'not-found';

/**
 * Events that only an operator can help.
 *
 * The one rule that makes parking and replaying safe against crashes and against each other: **a dead letter leaves the list only once its
 * event has been delivered.** Parking writes the letter first and then lets the job go; a replay adds the job again and leaves the letter
 * where it is. So at any moment the event is in the queue, in the list, or delivered; in both at worst, and then by one id.
 */
export class DeadLetters {
  constructor(
    private readonly events: Queue<DetectedEvent>,
    private readonly dead: Queue<DeadLetter>,
  ) {}

  /**
   * Writes the letter durably; a repeat only renews reason and time. The caller then lets the original job go, so that it blocks nothing.
   */
  async park(event: DetectedEvent, reason: string, now = new Date()): Promise<void> {
    const letter: DeadLetter = { event, reason, parkedAt: now.toISOString() };
    const job = await this.dead.add(event.type, letter, { jobId: event.id });
    // The id was there already when this event fails again after a replay: adding then changed nothing.
    await job.updateData(letter);
  }

  /** Takes the letter off the list, because its event has been delivered. Harmless when there is none. */
  async settle(id: string): Promise<void> {
    await this.dead.remove(id);
  }

  /** The letters, oldest first. */
  async list(limit = 1_000): Promise<DeadLetter[]> {
    const jobs = await this.dead.getWaiting(0, limit - 1);
    return jobs.map((job) => job.data);
  }

  /** How many letters there are, those under replay included. */
  async count(): Promise<number> {
    return this.dead.getWaitingCount();
  }

  /**
   * Sends the event round again with a fresh count of attempts. Harmless when repeated.
   *
   * `already-queued`: a job of this id is in the queue (perhaps about to be parked once more; then the letter stays).
   * `already-delivered`: only the letter was left over; it is gone now.
   */
  async replay(id: string, now = new Date()): Promise<Replay> {
    const letter = await this.dead.getJob(id);
    if (!letter) return 'not-found';
    const state = await this.events.getJobState(id);
    if (state === 'completed') {
      await this.settle(id);
      return 'already-delivered';
    }
    if (state !== 'unknown' && state !== 'failed') return 'already-queued';
    await letter.updateData({ ...letter.data, replayedAt: now.toISOString() });
    if (state === 'failed') await this.events.remove(id);
    await this.events.add(letter.data.event.type, letter.data.event, jobOptions(id));
    return 'replayed';
  }

  /**
   * Parks what stands failed in the events queue. Nothing of ours puts a job there, but a failed job would block its id for ever, so what
   * another hand (or a fault of the library) left behind is brought to light here.
   *
   * @returns how many were parked
   */
  async adoptFailed(): Promise<number> {
    const jobs = await this.events.getFailed(0, 99);
    for (const job of jobs) {
      await this.park(job.data, `failed outside the publisher: ${job.failedReason}`);
      await job.remove();
    }
    return jobs.length;
  }

  /** Lets go of both queues; the connection belongs to who passed it in. */
  async close(): Promise<void> {
    await Promise.all([this.events.close(), this.dead.close()]);
  }
}

/** Opens the dead letters on a connection that the caller keeps and closes. */
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
