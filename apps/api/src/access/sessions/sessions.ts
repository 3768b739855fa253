import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProblemException } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { LRUCache } from 'lru-cache';
import { BoundedQueue } from './bounded-queue.js';
import { ConsoleKey } from './console-key.js';
import { hashSessionId } from './session-cookie.js';
import { personOf, sessionIdentitySchema, type SessionIdentity } from './session-identity.js';
import { insertSession, MAX_SESSIONS } from './insert-session.js';

/** A session that has not expired. */
export interface Session {
  readonly identity: SessionIdentity;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

interface SessionRow {
  readonly identity: unknown;
  readonly expires: Date;
}

/** Lookups of sessions that this replica has not seen. Those that ended long ago must not occupy the database. */
const UNKNOWN_LOOKUPS = { running: 2, waiting: 198 };
const CREATIONS = { running: 1, waiting: 100 };

/** The sessions of the console, in the database that the replicas of the API share. Only the hash of an id is stored. */
@Injectable()
export class Sessions {
  private readonly endListeners = new Set<(hash: string) => void>();
  /** By hash, the person of each session that was valid here. */
  private readonly known = new LRUCache<string, string>({ max: MAX_SESSIONS });
  /** Hashes of sessions that have ended, which is final. */
  private readonly ended = new LRUCache<string, true>({ max: MAX_SESSIONS });
  private readonly lookups = new Map<string, Promise<Session | undefined>>();
  private readonly unknownLookups = new BoundedQueue(UNKNOWN_LOOKUPS, () => busy('sessions are looked up'));
  private readonly creations = new BoundedQueue(CREATIONS, () => busy('people sign in'));

  constructor(
    private readonly database: Database,
    private readonly key: ConsoleKey,
  ) {}

  /**
   * Adds a session in place of others, which end with the same commit.
   * @param replaced hashes of their ids
   * @returns its id
   * @throws ProblemException 503 when there are MAX_SESSIONS, or too many people sign in at once
   */
  async create(
    identity: SessionIdentity,
    expiresAt: number,
    replaced: readonly string[] = [],
  ): Promise<string> {
    const id = await this.key.sign('session', randomBytes(32).toString('base64url'));
    const hash = hashSessionId(id);
    const person = personOf(identity);
    // One at a time, so that those who wait for the lock of the database occupy no connections.
    await this.creations.run(() =>
      insertSession(this.database, { hash, person, identity, expiresAt }, replaced),
    );
    this.known.set(hash, person);
    for (const each of replaced) this.forget(each);
    return id;
  }

  /** The hash of an id that a replica has issued, whether or not the session has ended; undefined for an invented one. */
  async hashOf(id: string): Promise<string | undefined> {
    return (await this.key.verify('session', id)) === undefined ? undefined : hashSessionId(id);
  }

  /** The person of a session that was valid here, without a look at the database. */
  knownPersonOf(id: string): string | undefined {
    return this.known.get(hashSessionId(id));
  }

  /**
   * Undefined for a session that has ended, and for one of another release.
   * @throws ProblemException 503 for a session that was never valid here, while many others are looked up
   */
  async find(id: string): Promise<Session | undefined> {
    const hash = await this.hashOf(id);
    if (hash === undefined || this.ended.has(hash)) return undefined;
    return this.lookups.get(hash) ?? this.lookUp(hash);
  }

  /** Ends a session. @returns the session; undefined when it has ended already, and for an invented id */
  async end(id: string): Promise<Session | undefined> {
    const hash = await this.hashOf(id);
    if (hash === undefined) return undefined;
    const [row] = await this.database.query<SessionRow>(
      "DELETE FROM console_session WHERE session_hash = decode($1, 'hex') RETURNING identity, expires_at AS expires",
      [hash],
    );
    this.forget(hash);
    return toSession(row);
  }

  /** Calls the listener with the hash of each session that ends at this replica. */
  onEnd(listener: (hash: string) => void): void {
    this.endListeners.add(listener);
  }

  private forget(hash: string): void {
    this.known.delete(hash);
    // Later requests must not share a lookup that began before the end.
    this.lookups.delete(hash);
    this.ended.set(hash, true);
    for (const listener of this.endListeners) listener(hash);
  }

  /** Concurrent requests with the same session share one lookup. */
  private async lookUp(hash: string): Promise<Session | undefined> {
    const read = (): Promise<Session | undefined> => this.read(hash);
    const lookup = this.known.has(hash) ? read() : this.unknownLookups.run(read);
    this.lookups.set(hash, lookup);
    try {
      return await lookup;
    } finally {
      if (this.lookups.get(hash) === lookup) this.lookups.delete(hash);
    }
  }

  private async read(hash: string): Promise<Session | undefined> {
    const [row] = await this.database.query<SessionRow>(
      "SELECT identity, expires_at AS expires FROM console_session WHERE session_hash = decode($1, 'hex')",
      [hash],
    );
    const session = toSession(row);
    if (session !== undefined) this.known.set(hash, personOf(session.identity));
    else this.known.delete(hash);
    if (row === undefined || isExpired(row)) this.ended.set(hash, true);
    return session;
  }
}

const isExpired = ({ expires }: SessionRow): boolean => expires.getTime() <= Date.now();

function toSession(row: SessionRow | undefined): Session | undefined {
  if (row === undefined || isExpired(row)) return undefined;
  const { data: identity } = sessionIdentitySchema.safeParse(row.identity);
  return identity && { identity, expiresAt: row.expires.getTime() };
}

const busy = (what: string): ProblemException =>
  new ProblemException(503, 'Service unavailable', `Too many ${what} at once: retry later.`);
