import type { DetectedEvent } from '@ssb/events';
import type { DeadLetterCause } from '../domain/publish-result.js';

/** An event that cannot be published until an operator acts. Times are RFC 3339 in UTC. */
export interface DeadLetter {
  /** Id of the job: of a fact, the event id; of a backfilled one, with that of the backfill; of an unverified job, an id of its own. */
  readonly id: string;
  /** The event; of an unverified job, what it claims to be, which may lack any field. */
  readonly event: Partial<Readonly<Record<keyof DetectedEvent, unknown>>>;
  readonly verified: boolean;
  readonly reason: string;
  /** Present when it can end without a change of the event. */
  readonly cause?: DeadLetterCause | undefined;
  readonly deadLetteredAt: string;
  /** When it was last queued again; absent before. */
  readonly retriedAt?: string;
}

/**
 * The result of a retry. `already-queued`: a job of this id is in the queue. `already-published`: only the dead letter was left, and is
 * now removed. `refused`: the dead letter stays, and nothing was queued.
 */
export type RetryResult =
  | { readonly outcome: 'queued' | 'already-queued' | 'already-published' | 'not-found' }
  | { readonly outcome: 'refused'; readonly reason: string };

export interface RetryOptions {
  /** Why the configuration does not allow the event; undefined when it does. The event may lack any field. */
  readonly findProblem: (event: unknown) => string | undefined;
  /** Accepts an event without a valid HMAC. Default false. */
  readonly unverified?: boolean;
  readonly now?: Date;
}
