import { ProblemException } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import type { SessionIdentity } from './session-identity.js';

/** The oldest session of a person ends when there are more. */
export const MAX_SESSIONS_OF_PERSON = 20;
export const MAX_SESSIONS = 10_000;
/** Expired sessions that one sign-in deletes. */
const MAX_DELETED = 1_000;

export interface NewSession {
  readonly hash: string;
  readonly person: string;
  readonly identity: SessionIdentity;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Adds a session, and deletes those that it replaces, expired ones, and the oldest ones of the person beyond the limit.
 * @throws TooManySessionsError; nothing has changed then
 */
export async function insertSession(
  database: Database,
  { hash, person, identity, expiresAt }: NewSession,
  replaced: readonly string[],
): Promise<void> {
  await database.transaction(async (session) => {
    // One sign-in at a time: the bounds are exact, and deletions of several replicas do not block each other.
    await session.query("SELECT pg_advisory_xact_lock(hashtext('console_session'))");
    await session.query(
      "DELETE FROM console_session WHERE session_hash IN (SELECT decode(hash, 'hex') FROM unnest($1::text[]) AS hash)",
      [replaced],
    );
    await session.query(
      `DELETE FROM console_session WHERE session_hash IN (
         SELECT session_hash FROM console_session WHERE expires_at <= $1 LIMIT ${MAX_DELETED})`,
      [new Date()],
    );
    await session.query(
      `DELETE FROM console_session WHERE session_hash IN (
         SELECT session_hash FROM console_session WHERE person = $1 ORDER BY created_at DESC OFFSET ${MAX_SESSIONS_OF_PERSON - 1})`,
      [person],
    );
    const added = await session.query(
      `INSERT INTO console_session (session_hash, person, identity, expires_at)
       SELECT decode($1, 'hex'), $2, $3::jsonb, $4 WHERE (SELECT count(*) FROM console_session) < ${MAX_SESSIONS} RETURNING 1`,
      [hash, person, JSON.stringify(identity), new Date(expiresAt)],
    );
    if (added.length === 0) throw new TooManySessionsError();
  });
}

/** More people are signed in than the API allows. */
export class TooManySessionsError extends ProblemException {
  constructor() {
    super(
      503,
      'Service unavailable',
      `At most ${MAX_SESSIONS} sessions are open at once: sign out elsewhere, or retry later.`,
    );
  }
}
