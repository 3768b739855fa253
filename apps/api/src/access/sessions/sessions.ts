import { Injectable } from '@nestjs/common';
import { ProblemException } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { Semaphore } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import { hashSessionId, randomCookieValue } from './session-cookie.js';
import { personOf, sessionIdentitySchema, type SessionIdentity } from './session-identity.js';

/** A session that has not expired. */
export interface Session {
  readonly identity: SessionIdentity;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The oldest session of a person ends when there are more. */
export const MAX_SESSIONS_OF_PERSON = 20;
export const MAX_SESSIONS = 10_000;
/** Expired sessions that one sign-in deletes. */
const MAX_DELETED = 1_000;
/** Lookups of ids that were never valid here. Anyone can send a cookie, and must not occupy the database. */
const MAX_UNKNOWN_LOOKUPS = 2;
const MAX_WAITING_LOOKUPS = 200;

/** The sessions of the console, in the database that the replicas of the API share. Only the hash of an id is stored. */
@Injectable()
export class Sessions {
  private readonly endListeners = new Set<(id: string) => void>();
  /** Ids that were valid here. */
  private readonly known = new LRUCache<string, true>({ max: MAX_SESSIONS });
  private readonly unknownLookups = new Semaphore(MAX_UNKNOWN_LOOKUPS);
  private waitingLookups = 0;

  constructor(private readonly database: Database) {}

  /**
   * Adds a session, and deletes expired ones.
   * @returns its id
   * @throws ProblemException 503 when there are MAX_SESSIONS
   */
  async create(identity: SessionIdentity, expiresAt: number): Promise<string> {
    const id = randomCookieValue();
    const person = personOf(identity);
    await this.database.transaction(async (session) => {
      // One sign-in at a time: the bounds are exact, and deletions of several replicas do not block each other.
      await session.query("SELECT pg_advisory_xact_lock(hashtext('console_session'))");
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
         SELECT $1, $2, $3::jsonb, $4 WHERE (SELECT count(*) FROM console_session) < ${MAX_SESSIONS} RETURNING 1`,
        [hashSessionId(id), person, JSON.stringify(identity), new Date(expiresAt)],
      );
      if (added.length === 0) throw new TooManySessionsError();
    });
    this.known.set(id, true);
    return id;
  }

  /**
   * Undefined for a session that has ended, and for one of another release.
   * @throws ProblemException 503 for an id that was never valid here, while many others are looked up
   */
  async find(id: string): Promise<Session | undefined> {
    if (this.known.has(id)) return this.read(id);
    if (this.waitingLookups >= MAX_WAITING_LOOKUPS)
      throw new ProblemException(503, 'Service unavailable', 'Too many sessions are looked up: retry later.');
    this.waitingLookups += 1;
    try {
      const session = await this.unknownLookups.runExclusive(() => this.read(id));
      if (session !== undefined) this.known.set(id, true);
      return session;
    } finally {
      this.waitingLookups -= 1;
    }
  }

  /** Ends a session. Harmless when it has ended already. */
  async end(id: string): Promise<void> {
    await this.database.query('DELETE FROM console_session WHERE session_hash = $1', [hashSessionId(id)]);
    for (const listener of this.endListeners) listener(id);
  }

  /** Calls the listener for each session that ends at this replica. */
  onEnd(listener: (id: string) => void): void {
    this.endListeners.add(listener);
  }

  private async read(id: string): Promise<Session | undefined> {
    const [row] = await this.database.query<{ identity: unknown; expires: Date }>(
      'SELECT identity, expires_at AS expires FROM console_session WHERE session_hash = $1',
      [hashSessionId(id)],
    );
    if (row === undefined || row.expires.getTime() <= Date.now()) return undefined;
    const { data: identity } = sessionIdentitySchema.safeParse(row.identity);
    return identity && { identity, expiresAt: row.expires.getTime() };
  }
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
