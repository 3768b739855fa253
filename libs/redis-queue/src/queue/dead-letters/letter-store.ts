import type { KeySource } from '@ssb/keys';
import type { Queue } from 'bullmq';
import { z } from 'zod';
import type { RedisConnection } from '../../redis/servers.js';
import { DEAD_LETTER_CAUSES, type DeadLetterCause } from '../domain/publish-result.js';
import { claimedEvent, describeRefusal, isRecord } from '../domain/refused-job.js';
import { EventAuthenticator, type QueuedEvent } from '../event-authenticator.js';
import { readStoredJob } from '../stored-job.js';
import type { DeadLetter } from './dead-letter.js';
import type { UnverifiedLetters } from './unverified-letters.js';

/** How a dead letter is stored. */
export interface StoredLetter extends QueuedEvent {
  readonly reason: string;
  readonly cause?: DeadLetterCause | undefined;
  readonly deadLetteredAt: string;
  readonly retriedAt?: string;
}

/** A dead letter as it was read. */
export interface FoundLetter extends DeadLetter {
  /** Why it is not verified. */
  readonly refusal: string | undefined;
  /** Whether the letter holds a refused job, which is kept under its own id. */
  readonly isOfRefusedJob: boolean;
}

/** Another client may have written anything. */
const storedSchema = z.object({
  reason: z.string().catch(''),
  cause: z.enum(DEAD_LETTER_CAUSES).optional().catch(undefined),
  deadLetteredAt: z.string().catch(''),
  retriedAt: z.string().optional().catch(undefined),
});

/** Reads and writes single dead letters, each with an HMAC. */
export class LetterStore {
  readonly authenticator: EventAuthenticator;

  constructor(
    private readonly letters: Queue<unknown>,
    private readonly unverified: UnverifiedLetters,
    private readonly redis: RedisConnection,
    keys: KeySource,
  ) {
    this.authenticator = new EventAuthenticator(keys, letters);
  }

  async save(id: string, letter: StoredLetter): Promise<void> {
    const job = await this.letters.add(letter.event.type, letter, { jobId: id });
    // After a failed retry the id exists already, and adding it changed nothing.
    await job.updateData(letter);
  }

  /** The dead letter of an event or of a refused job. */
  async find(id: string): Promise<FoundLetter | undefined> {
    const refused = await this.unverified.get(id);
    if (refused === undefined) return this.read(id);
    const { reason, deadLetteredAt, data } = refused;
    const event = claimedEvent(data) ?? {};
    return { id, event, verified: false, reason, deadLetteredAt, refusal: reason, isOfRefusedJob: true };
  }

  /** The dead letter of an event. */
  async read(id: string): Promise<FoundLetter | undefined> {
    const job = await readStoredJob(this.redis, this.letters, id);
    if (job === undefined) return undefined;
    const { data } = job;
    const verdict = await this.authenticator.verify(id, data);
    return {
      id,
      event: verdict.ok ? verdict.event : (claimedEvent(data) ?? {}),
      verified: verdict.ok,
      ...storedSchema.parse(isRecord(data) ? data : {}),
      refusal: verdict.ok ? undefined : describeRefusal(verdict.reason),
      isOfRefusedJob: false,
    };
  }
}

/** Without what only the store needs. */
export function toDeadLetter({
  refusal: _refusal,
  isOfRefusedJob: _isOfRefusedJob,
  ...letter
}: FoundLetter): DeadLetter {
  return letter;
}
