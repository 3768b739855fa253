import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { openDatabase, type Database } from '@ssb/postgres';
import { LOGGER, Readiness, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { DocumentCache } from './document-cache.js';
import { CacheInvalidation } from './cache-invalidation.js';
import { migrations, SCHEMA } from './migrations.js';
import { RecordStore } from './record-store.js';

const OPEN_RECORDS = Symbol('OPEN_RECORDS');

interface OpenRecords {
  readonly records: RecordStore;
  readonly database: Database;
  readonly invalidation: CacheInvalidation | undefined;
}

/** Reports the readiness of the database, and closes it with the module. */
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
    await this.open.invalidation?.stop();
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
    onConnectionEvent: (notice) => log.warn(notice, 'database connection changed'),
  });
  try {
    const invalidation =
      cacheBytes > 0 ? await CacheInvalidation.start(database, new DocumentCache(cacheBytes)) : undefined;
    return { records: new RecordStore(database, invalidation), database, invalidation };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Provides `RecordStore` on the database of the settings. */
export function recordsProviders(settings: Settings): Provider[] {
  return [
    {
      provide: OPEN_RECORDS,
      useFactory: (log: Logger) => openRecords(settings, log),
      inject: [LOGGER],
    },
    { provide: RecordStore, useFactory: ({ records }: OpenRecords) => records, inject: [OPEN_RECORDS] },
    RecordsLifetime,
  ];
}
