import { randomUUID } from 'node:crypto';
import type { Database, SqlSession, StopListening } from '@ssb/database';
import type { DocumentKey, ReadThrough } from './batch-query.js';
import type { DocumentCache } from './document-cache.js';

const CHANNEL = 'records_loaded';
/** Beyond so many scopes it is shorter to say that everything may have changed. */
const MOST_SCOPES = 500;
const EVERYTHING = '*';

/**
 * A cache that is invalidated by the loads of every replica: those of its own before the load is answered, the others soon after their commit.
 * It keeps nothing while notifications cannot be received.
 */
export class SharedCache implements ReadThrough {
  private readonly self = randomUUID();
  private stopListening: StopListening | undefined;

  private constructor(private readonly cache: DocumentCache) {}

  /** Resolves once notifications of other replicas are received. @throws DatabaseUnavailableError */
  static async join(database: Database, cache: DocumentCache): Promise<SharedCache> {
    const shared = new SharedCache(cache);
    shared.stopListening = await database.listen(CHANNEL, {
      received: (payload) => shared.receive(payload),
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

  /** Stops listening and empties the cache. */
  async leave(): Promise<void> {
    this.cache.switchOff();
    await this.stopListening?.();
  }

  private receive(payload: string): void {
    const end = payload.indexOf(' ');
    // What this process loaded it has forgotten already, before it answered.
    if (payload.slice(0, end) === this.self) return;
    const scope = payload.slice(end + 1);
    if (scope === EVERYTHING) this.cache.forgetAll();
    else this.cache.forget([scope]);
  }
}
