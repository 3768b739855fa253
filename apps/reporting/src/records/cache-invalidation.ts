import type { Database, SqlSession, StopListening } from '@ssb/postgres';
import { randomUUID } from 'node:crypto';
import type { DocumentCache } from './document-cache.js';

const CHANNEL = 'records_loaded';
/** Beyond so many scopes, one notification that clears everything is cheaper. */
const MAX_SCOPES = 500;
const EVERYTHING = '*';

/**
 * Invalidates the cache after loads of other replicas, soon after their commit.
 * The cache is disabled while notifications cannot be received.
 */
export class CacheInvalidation {
  private readonly replicaId = randomUUID();
  private stopListening: StopListening | undefined;

  private constructor(readonly cache: DocumentCache) {}

  /** Resolves when notifications of other replicas are received. @throws DatabaseUnavailableError */
  static async start(database: Database, cache: DocumentCache): Promise<CacheInvalidation> {
    const invalidation = new CacheInvalidation(cache);
    invalidation.stopListening = await database.listen(CHANNEL, {
      received: (payload) => invalidation.receive(payload),
      lost: () => cache.disable(),
      regained: () => cache.enable(),
    });
    return invalidation;
  }

  /** Notifies the other replicas when the session's transaction commits. */
  async notifyReplicas(session: SqlSession, scopes: readonly string[]): Promise<void> {
    const payloads = scopes.length > MAX_SCOPES ? [EVERYTHING] : scopes;
    for (const payload of payloads) await session.notify(CHANNEL, `${this.replicaId} ${payload}`);
  }

  /** Stops listening and empties the cache. */
  async stop(): Promise<void> {
    this.cache.disable();
    await this.stopListening?.();
  }

  private receive(payload: string): void {
    const end = payload.indexOf(' ');
    // This replica invalidated its own loads before it responded to them.
    if (payload.slice(0, end) === this.replicaId) return;
    const scope = payload.slice(end + 1);
    if (scope === EVERYTHING) this.cache.clear();
    else this.cache.invalidate([scope]);
  }
}
