import type { Migration } from '@ssb/database';

/** Schema of the token service's tables, where several apps share one database. */
export const SCHEMA = 'token';

/** Tables of the token service. Scopes are separated by spaces, hashes are JSON; both are read by the app alone. */
export const migrations: readonly Migration[] = [
  {
    id: '001-account',
    sql: `CREATE TABLE account (
  client_id text PRIMARY KEY,
  scopes text NOT NULL,
  secret text NOT NULL,
  previous_secret text,
  previous_until timestamptz,
  bound boolean NOT NULL,
  disabled boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);`,
  },
  {
    id: '002-signing-key',
    sql: `CREATE TABLE signing_key (
  key_id text PRIMARY KEY,
  signs_from timestamptz NOT NULL,
  sealed bytea NOT NULL
);`,
  },
];
