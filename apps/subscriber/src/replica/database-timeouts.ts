import type { DatabaseOptions } from '@ssb/database';
import type { Settings } from '../settings.js';
import { SCHEMA } from '../storage/migrations.js';

/** A transaction whose replica stands still holds locks that the next reader waits for: it is ended within the lease. */
export function databaseTimeouts({ LEASE_TTL_MS }: Settings): DatabaseOptions['timeouts'] {
  return { idleInTransactionMs: Math.ceil(LEASE_TTL_MS / 3) };
}

/** Renewals have connections of their own, and fail early enough to be repeated within the lease. */
export function leaseDatabaseOptions({ DATABASE_URL, LEASE_TTL_MS }: Settings): DatabaseOptions {
  const quarter = Math.ceil(LEASE_TTL_MS / 4);
  return {
    url: DATABASE_URL,
    schema: SCHEMA,
    connections: 2,
    timeouts: {
      connectMs: quarter,
      statementMs: quarter,
      lockMs: Math.ceil(LEASE_TTL_MS / 20),
      idleInTransactionMs: quarter,
    },
  };
}
