import { readMigrations } from '@ssb/postgres';

/** Schema of the token service. */
export const SCHEMA = 'token';

export const migrations = readMigrations(new URL('../../../migrations/', import.meta.url));
