import type { Logger } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import type { Settings } from '../settings.js';

/** Schema of the subscriber, whose tables the API reads. */
const SCHEMA = 'subscriber';

/** A listing that takes longer is ended, so that readers do not slow the subscriber. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** The role api reads, and adds requests. */
export function openArchiveDatabase(settings: Settings, log: Logger): Database {
  return new Database({
    url: settings.DATABASE_URL,
    schema: SCHEMA,
    connections: settings.DATABASE_CONNECTIONS,
    timeouts: { statementMs: STATEMENT_TIMEOUT_MS },
    onConnectionEvent: ({ what, reason }) => log.warn({ what, reason }, 'database connection changed'),
  });
}
