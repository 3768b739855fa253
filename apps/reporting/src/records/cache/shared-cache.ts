import { randomUUID } from 'node:crypto';
import type { Database, SqlSession, StopListening } from '@ssb/database';
import type { DocumentKey, ReadThrough } from '../reading.js';
import type { DocumentCache } from './document-cache.js';

const CHANNEL = 'records_loaded';
/** Beyond so many scopes it is shorter to say that everything may have changed. */
const MOST_SCOPES = 500;
const EVERYTHING = '*';

/**
 * A replica's cache that hears what the other replicas load. While it cannot hear, it keeps nothing. Others hear of a load once it is
 * committed, which may be a moment after the load was answered; the replica that loaded forgets before it answers.
 */
export class SharedCache implements ReadThrough {
  private readonly self = randomUUID();
  private stopListening: StopListening | undefined;

  private constructor(private readonly cache: DocumentCache) {}

  /** Resolves once the loads of other replicas are heard. @throws DatabaseUnavailableError */
  static async join(database: Database, cache: DocumentCache): Promise<SharedCache> {
    const shared = new SharedCache(cache);
    shared.stopListening = await database.listen(CHANNEL, {
      heard: (payload) => shared.hear(payload),
      lost: () => cache.switchOff(),
      regained: () => cache.switchOn(),
    });
    return shared;
  }

  read<T extends string | Uint8Array | undefined>(key: DocumentKey, find: () => Promise<T>): Promise<T> {
    return this.cache.read(key, find);
  }

  /** Forgets the scopes in this process, at once. */
  forget(scopes: readonly string[]): void {
    this.cache.forget(scopes);
  }

  /** Tells the other replicas to forget them once the session's transaction is committed. */
  async announce(session: SqlSession, scopes: readonly string[]): Promise<void> {
    const told = scopes.length > MOST_SCOPES ? [EVERYTHING] : scopes;
    for (const scope of told) await session.notify(CHANNEL, `${this.self} ${scope}`);
  }

  /** Hears no more, and keeps no more. */
  async leave(): Promise<void> {
    this.cache.switchOff();
    await this.stopListening?.();
  }

  private hear(payload: string): void {
    const end = payload.indexOf(' ');
    // What this process loaded it has forgotten already, before it answered.
    if (payload.slice(0, end) === this.self) return;
    const scope = payload.slice(end + 1);
    if (scope === EVERYTHING) this.cache.forgetAll();
    else this.cache.forget([scope]);
  }
}
