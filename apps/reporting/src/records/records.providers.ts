import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { openDatabase, type Database } from '@ssb/database';
import { LOGGER, Readiness, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { DocumentCache } from './document-cache.js';
import { SharedCache } from './cache-invalidation.js';
import { migrations, SCHEMA } from './migrations.js';
import { Records } from './record-store.js';

const OPEN_RECORDS = Symbol('OPEN_RECORDS');

/** The records with their database and cache. */
interface OpenRecords {
  readonly records: Records;
  readonly database: Database;
  readonly cache: SharedCache | undefined;
}

/** The records are open as long as the module that provides them. */
@Injectable()
class RecordsLifetime implements OnApplicationShutdown {
  constructor(
    @Inject(OPEN_RECORDS) private readonly open: OpenRecords,
    readiness: Readiness,
  ) {
    readiness.register('database', async () => {
      await open.database.query('SELECT 1');
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.open.cache?.leave();
    await this.open.database.close();
  }
}

/** @throws DatabaseUnavailableError, PendingMigrationsError, ChangedMigrationError */
async function openRecords(settings: Settings, log: Logger): Promise<OpenRecords> {
  const cacheBytes = settings.DOCUMENT_CACHE_MIB * 1024 * 1024;
  const database = await openDatabase({
    url: settings.DATABASE_URL,
    schema: SCHEMA,
    migrations,
    connections: settings.DATABASE_CONNECTIONS,
    onNotice: (notice) => log.warn(notice, 'database connection'),
  });
  try {
    const cache =
      cacheBytes > 0 ? await SharedCache.join(database, new DocumentCache(cacheBytes)) : undefined;
    return { records: new Records(database, cache), database, cache };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** `Records`, on the database that the settings name. */
export function recordsProviders(settings: Settings): Provider[] {
  return [
    {
      provide: OPEN_RECORDS,
      useFactory: (log: Logger) => openRecords(settings, log),
      inject: [LOGGER],
    },
    { provide: Records, useFactory: ({ records }: OpenRecords) => records, inject: [OPEN_RECORDS] },
    RecordsLifetime,
  ];
}
