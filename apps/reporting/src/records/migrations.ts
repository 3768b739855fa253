import { readMigrations } from '@ssb/postgres';

/** Schema of the reporting API. */
export const SCHEMA = 'reporting';

export const migrations = readMigrations(new URL('../../../migrations/', import.meta.url));
