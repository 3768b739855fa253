import { openDatabase, type DatabaseNotice } from '@ssb/database';
import { DocumentCache } from './cache/document-cache.js';
import { SharedCache } from './cache/shared-cache.js';
import { migrations, SCHEMA } from './migrations.js';
import { Records } from './records.js';

export interface OpenRecordsOptions {
  /** Address of the database, for the run role. */
  readonly url: string;
  /** Most connections to it at a time. */
  readonly connections: number;
  /** Most bytes of documents kept in memory; 0 keeps none. */
  readonly cacheBytes: number;
  readonly onNotice: (notice: DatabaseNotice) => void;
}

/** The records with what they stand on, to be closed by whoever opened them. */
export interface OpenRecords {
  readonly records: Records;
  /** Rejects while the database does not answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database and the cache. @throws DatabaseUnavailableError, PendingMigrationsError, ChangedMigrationError */
export async function openRecords({
  url,
  connections,
  cacheBytes,
  onNotice,
}: OpenRecordsOptions): Promise<OpenRecords> {
  const database = await openDatabase({ url, schema: SCHEMA, migrations, connections, onNotice });
  try {
    const cache =
      cacheBytes > 0 ? await SharedCache.join(database, new DocumentCache(cacheBytes)) : undefined;
    return {
      records: new Records(database, { cache }),
      ready: async () => {
        await database.query('SELECT 1');
      },
      close: async () => {
        await cache?.leave();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
