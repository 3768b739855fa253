import type { DatabaseOptions } from '@ssb/postgres';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import type { Settings } from '../settings.js';

/** Injection token of the subscriber's database. */
export const DATABASE = Symbol('DATABASE');
/** The same database with its own connections and timeouts that are shorter than the lease. */
export const LEASE_DATABASE = Symbol('LEASE_DATABASE');

/** Longer than any statement of a batch takes on a responsive server. */
const MIN_STATEMENT_TIMEOUT_MS = 15_000;

/** The server ends an idle transaction within the lease, because its locks block the next reader. */
export function databaseTimeouts({
  LEASE_TTL_MS,
}: Pick<Settings, 'LEASE_TTL_MS'>): DatabaseOptions['timeouts'] {
  return {
    statementMs: Math.max(LEASE_TTL_MS, MIN_STATEMENT_TIMEOUT_MS),
    idleInTransactionMs: Math.ceil(LEASE_TTL_MS / 3),
  };
}

/** Lease renewals use their own connections and short timeouts, so that a failed one can be repeated within the lease. */
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
      responseMs: eighth,
      lockMs: Math.ceil(LEASE_TTL_MS / 20),
      idleInTransactionMs: quarter,
    },
  };
}
