import { isEventType, PRECEDENCES, precedenceOf, type DetectedEvent } from '@ssb/events';
import type { KeySource } from '@ssb/keys';
import type { Queue } from 'bullmq';
import type { RedisConnection } from '../../redis/servers.js';
import type { DeadLetterCause } from '../domain/publish-result.js';
import type { RefusedJob } from '../domain/refused-job.js';
import { EventAuthenticator } from '../event-authenticator.js';
import { backfilledJobId, EventQueue, factJobOptions, isJobIdOf } from '../event-queue.js';
import { ForgedJobs } from '../forged-jobs.js';
import {
  DEAD_LETTER_QUEUE,
  DEFAULT_PREFIX,
  EVENTS_QUEUE,
  openQueue,
  type QueueOptions,
} from '../open-queue.js';
import { removeStoredJob } from '../stored-job.js';
import type { DeadLetter, RetryOptions, RetryResult } from './dead-letter.js';
import { moveFailedJobs, type FailedJobReports } from './failed-jobs.js';
import { LetterStore, toDeadLetter, type FoundLetter } from './letter-store.js';
import { UnverifiedLetters } from './unverified-letters.js';

const LAST = PRECEDENCES.length;

/** Letters of each kind. */
const MAX_LISTED = 1_000;

/**
 * Events that wait for an operator. A dead letter is removed only after its event was published. After any crash the event is in the queue,
 * in this list, or published.
 */
export class DeadLetters {
  private readonly store: LetterStore;
  private readonly queue: EventQueue;
  private readonly forgedJobs: ForgedJobs;
  private readonly jobAuthenticator: EventAuthenticator;

  constructor(
    private readonly events: Queue<unknown>,
    private readonly letters: Queue<unknown>,
    private readonly unverified: UnverifiedLetters,
    private readonly redis: RedisConnection,
    keys: KeySource,
    private readonly onEvicted: (count: number) => void,
  ) {
    this.store = new LetterStore(letters, unverified, redis, keys);
    this.queue = new EventQueue(events, redis, keys);
    this.jobAuthenticator = new EventAuthenticator(keys, events);
    this.forgedJobs = new ForgedJobs(events, redis, this.jobAuthenticator);
  }

  /** Adds an event durably; a repeat updates reason and time. The caller then removes its job, so that it blocks no later one. */
  async add(
    event: DetectedEvent,
    reason: string,
    jobId: string = event.id,
    now = new Date(),
    cause?: DeadLetterCause,
  ): Promise<void> {
    await this.store.save(jobId, {
      ...this.store.authenticator.authenticate(jobId, event),
      reason,
      ...(cause !== undefined && { cause }),
      deadLetteredAt: now.toISOString(),
    });
  }

  /** Adds a job without a valid HMAC. Under its own key, because its id may be that of an event. */
  async addRefused(job: RefusedJob, data: unknown, now = new Date()): Promise<void> {
    const evicted = await this.unverified.add(job, data, now);
    if (evicted > 0) this.onEvicted(evicted);
  }

  /** Removes the dead letter of a published event, if there is one. */
  async remove(id: string): Promise<void> {
    await this.letters.remove(id);
  }

  /** Removes a dead letter whose event is not to be published. @returns what was removed */
  async discard(id: string): Promise<DeadLetter | undefined> {
    const letter = await this.store.find(id);
    if (letter === undefined) return undefined;
    if (letter.isOfRefusedJob) await this.unverified.remove(id);
    else await removeStoredJob(this.redis, this.letters, id);
    return toDeadLetter(letter);
  }

  /** The dead letters, oldest first; after them the refused jobs. */
  async list(limit = MAX_LISTED): Promise<DeadLetter[]> {
    const ids = await this.listIds(limit);
    const found = await Promise.all(ids.map((id) => this.store.find(id)));
    return found.filter((letter) => letter !== undefined).map(toDeadLetter);
  }

  /** The ids of all dead letters, in the order of `list`. */
  async listIds(limit = Number.MAX_SAFE_INTEGER): Promise<string[]> {
    const ids = await this.letters.getRanges(['waiting'], 0, limit - 1, true);
    return [...ids, ...(await this.unverified.listIds(limit))];
  }

  /** One dead letter; undefined when there is none. */
  async get(id: string): Promise<DeadLetter | undefined> {
    const letter = await this.store.find(id);
    return letter && toDeadLetter(letter);
  }

  /** The ids of the dead letters of verified jobs, margin and credit events first, then the oldest. Reads no events, which may be large. */
  async listByPrecedence(): Promise<string[]> {
    const ids = await this.letters.getRanges(['waiting'], 0, -1, true);
    const types = await Promise.all(ids.map((id) => this.redis.hget(this.letters.toKey(id), 'name')));
    // The name is only a hint: a client of Redis can change it.
    const ranked = ids.map((id, index) => {
      const type = types[index] ?? '';
      return { id, precedence: isEventType(type) ? precedenceOf({ type }) : LAST };
    });
    return ranked.toSorted((a, b) => a.precedence - b.precedence).map(({ id }) => id);
  }

  /** The number of dead letters, those being retried included. */
  async count(): Promise<number> {
    return this.letters.getWaitingCount();
  }

  /** The number of jobs without a valid HMAC. */
  async countUnverified(): Promise<number> {
    return this.unverified.count();
  }

  /** Queues the event again with a new HMAC and a new count of attempts, if HMAC and configuration allow it. Harmless when repeated. */
  async retry(id: string, options: RetryOptions): Promise<RetryResult> {
    const letter = await this.store.find(id);
    if (letter === undefined) return { outcome: 'not-found' };
    if (!letter.verified && options.unverified !== true)
      return refuse(`${letter.refusal} Only "retry <id> --unverified" accepts such a dead letter.`);
    const problem = options.findProblem(letter.event) ?? (await this.findConflict(id, letter));
    if (problem !== undefined) return refuse(problem);
    return this.requeue(letter, letter.isOfRefusedJob ? id : undefined, options.now ?? new Date());
  }

  /**
   * Moves the failed jobs of the events queue to the dead letters, and removes failed heartbeats. The worker leaves none, but one from
   * elsewhere would block its id. Does nothing while another process does it.
   * @returns the number of dead letters
   */
  async addFailedJobs(reports: FailedJobReports): Promise<number> {
    const { events, letters, redis, jobAuthenticator } = this;
    return moveFailedJobs({
      events,
      redis,
      lock: letters.toKey('failed-jobs-lock'),
      authenticator: jobAuthenticator,
      addDeadLetter: (event, reason, jobId) => this.add(event, reason, jobId),
      addRefused: (job, data) => this.addRefused(job, data),
      reports,
    });
  }

  private async requeue(letter: FoundLetter, refusedId: string | undefined, now: Date): Promise<RetryResult> {
    const { reason, cause, deadLetteredAt } = letter;
    const event = letter.event as DetectedEvent;
    const id = letter.isOfRefusedJob ? jobIdOfRefused(letter.id, event) : letter.id;
    // A forged job of this id is replaced.
    const isForged = await this.forgedJobs.has(id);
    const state = isForged ? 'unknown' : await this.events.getJobState(id);
    if (state === 'completed') {
      await this.remove(id);
      if (refusedId !== undefined) await this.unverified.remove(refusedId);
      return { outcome: 'already-published' };
    }
    if (state !== 'unknown' && state !== 'failed') return { outcome: 'already-queued' };
    const authenticated = this.store.authenticator.authenticate(id, event);
    await this.store.save(id, {
      ...authenticated,
      reason,
      ...(cause !== undefined && { cause }),
      deadLetteredAt,
      retriedAt: now.toISOString(),
    });
    if (state === 'failed') await this.events.remove(id);
    await this.queue.addJobs([{ event, options: factJobOptions(id, event) }]);
    // From now on the event has a dead letter under its own id.
    if (refusedId !== undefined) await this.unverified.remove(refusedId);
    return { outcome: 'queued' };
  }

  /** An event that only claims an id must not take the place of another dead letter. */
  private async findConflict(id: string, letter: FoundLetter): Promise<string | undefined> {
    const eventId = String(letter.event.id);
    if (isJobIdOf(id, eventId, letter.event.backfilled)) return undefined;
    if (!letter.isOfRefusedJob) return 'The id of its event is another one.';
    const other = await this.store.read(eventId);
    return other?.verified === true
      ? `The dead letter ${eventId} has this event id and is verified.`
      : undefined;
  }

  /** Closes both queues. The caller closes the connection. */
  async close(): Promise<void> {
    await Promise.all([this.events.close(), this.letters.close()]);
  }
}

/** A backfilled event has a job of its own, because that of the fact may be complete. */
function jobIdOfRefused(letterId: string, { id, backfilled }: DetectedEvent): string {
  return backfilled === true ? backfilledJobId(id, letterId) : id;
}

function refuse(reason: string): RetryResult {
  return { outcome: 'refused', reason };
}

export interface DeadLetterOptions extends QueueOptions {
  /** Called with the number of refused jobs that were removed, because too many are kept. */
  readonly onEvicted?: (count: number) => void;
}

/** Opens the dead letters. */
export function openDeadLetters({
  keys,
  onEvicted = () => undefined,
  ...options
}: DeadLetterOptions): DeadLetters {
  const { redis, prefix = DEFAULT_PREFIX } = options;
  return new DeadLetters(
    openQueue(EVENTS_QUEUE, options),
    openQueue(DEAD_LETTER_QUEUE, options),
    new UnverifiedLetters(redis, prefix),
    redis,
    keys,
    onEvicted,
  );
}
