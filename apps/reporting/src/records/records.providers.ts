import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { LOGGER, Readiness, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { openRecords, type OpenRecords } from './open-records.js';
import { Records } from './records.js';

const OPEN_RECORDS = Symbol('OPEN_RECORDS');

/** The records live as long as the module that provides them. */
@Injectable()
class RecordsLifetime implements OnApplicationShutdown {
  constructor(
    @Inject(OPEN_RECORDS) private readonly open: OpenRecords,
    @Inject(Readiness) readiness: Readiness,
  ) {
    readiness.register('database', () => open.ready());
  }

  onApplicationShutdown(): Promise<void> {
    return this.open.close();
  }
}

/** `Records`, on the database that the settings name. */
export function recordsProviders(settings: Settings): Provider[] {
  return [
    {
      provide: OPEN_RECORDS,
      useFactory: (log: Logger) =>
        openRecords({
          url: settings.DATABASE_URL,
          connections: settings.DATABASE_CONNECTIONS,
          cacheBytes: settings.DOCUMENT_CACHE_MIB * 1024 * 1024,
          onNotice: (notice) => log.warn(notice, 'database connection'),
        }),
      inject: [LOGGER],
    },
    { provide: Records, useFactory: ({ records }: OpenRecords) => records, inject: [OPEN_RECORDS] },
    RecordsLifetime,
  ];
}
