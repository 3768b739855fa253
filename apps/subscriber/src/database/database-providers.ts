import type { Provider } from '@nestjs/common';
import { GATEWAY_CONNECTION, LOGGER, WEBHOOK_CONNECTION, type Logger } from '@ssb/platform';
import { Database, openDatabase } from '@ssb/postgres';
import type { Settings } from '../settings.js';
import { migrations, SCHEMA } from '@ssb/postgres/archive-schema';
import { DATABASE, databaseTimeouts, LEASE_DATABASE, leaseDatabaseOptions } from './database-options.js';

export function databaseProviders(settings: Settings): Provider[] {
  return [
    {
      provide: DATABASE,
      // The certificates are read before anything is connected.
      inject: [LOGGER, WEBHOOK_CONNECTION, GATEWAY_CONNECTION],
      useFactory: (log: Logger) =>
        openDatabase({
          url: settings.DATABASE_URL,
          schema: SCHEMA,
          migrations,
          connections: settings.DATABASE_CONNECTIONS,
          timeouts: databaseTimeouts(settings),
          onConnectionEvent: ({ what, reason }) => log.warn({ what, reason }, 'database connection changed'),
        }),
    },
    { provide: LEASE_DATABASE, useFactory: () => new Database(leaseDatabaseOptions(settings)) },
  ];
}
