import type { DatabaseOptions } from '@ssb/database';
import type { Settings } from '../settings.js';
import { SCHEMA } from '../storage/database-options.js';

/** No statement of a group takes as long on a server that answers. */
const MIN_STATEMENT_MS = 15_000;

/** An idle transaction holds locks that the next reader waits for, so the server ends it within the lease. */
export function databaseTimeouts({
  LEASE_TTL_MS,
}: Pick<Settings, 'LEASE_TTL_MS'>): DatabaseOptions['timeouts'] {
  return {
    statementMs: Math.max(LEASE_TTL_MS, MIN_STATEMENT_MS),
    idleInTransactionMs: Math.ceil(LEASE_TTL_MS / 3),
  };
}

/** Renewals have connections of their own, and fail early enough to be repeated within the lease. */
export function leaseDatabaseOptions({ DATABASE_URL, LEASE_TTL_MS }: Settings): DatabaseOptions {
  const quarter = Math.ceil(LEASE_TTL_MS / 4);
  const eighth = Math.ceil(LEASE_TTL_MS / 8);
  return {
    url: DATABASE_URL,
    schema: SCHEMA,
    connections: 2,
    timeouts: {
      connectMs: quarter,
      statementMs: eighth,
      answerMs: eighth,
      lockMs: Math.ceil(LEASE_TTL_MS / 20),
      idleInTransactionMs: quarter,
    },
  };
}
