import type { Provider } from '@nestjs/common';
import { openDocumentStore, type DocumentStore } from '@ssb/documents';
import { ConfigurationError, LOGGER, OutgoingConnections, type Logger } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import type { Settings } from '../settings.js';

/** Token of the DocumentStore; undefined with DOCUMENT_STORE=none. */
export const DOCUMENTS = Symbol('DOCUMENTS');

/** Each participant stores at most one document at a time, so others rarely wait. */
const CONNECTIONS = 4;
/** A database that does not respond must not delay the settlement polls for long. */
const TIMEOUTS = { connectMs: 3_000, statementMs: 15_000 };

export function documentsProvider(settings: Settings): Provider {
  return {
    provide: DOCUMENTS,
    inject: [OutgoingConnections, LOGGER],
    useFactory: (connections: OutgoingConnections, log: Logger): Promise<DocumentStore | undefined> =>
      openDocumentStore({
        settings,
        openDatabase: () => openDatabase(settings, log),
        connections,
        maxBytes: settings.DOCUMENT_STORE_MAX_BYTES,
        log,
      }),
  };
}

/** The polls do not need the database, so it may be unavailable at the start. */
function openDatabase({ DATABASE_URL: url }: Settings, log: Logger): Database {
  if (url === undefined)
    throw new ConfigurationError(
      'DATABASE_URL is missing, but DOCUMENT_STORE=postgres needs it: set it to the database of the subscriber with the role poller, or choose another DOCUMENT_STORE.',
    );
  return new Database({
    url,
    schema: SCHEMA,
    connections: CONNECTIONS,
    timeouts: TIMEOUTS,
    onConnectionEvent: ({ what, reason }) => log.warn({ what, reason }, 'database connection changed'),
  });
}
