import { readMigrations } from '@ssb/database';

/** Schema of the subscriber's tables, and its run role. */
export const SCHEMA = 'subscriber';

export const migrations = readMigrations(new URL('../../../migrations/', import.meta.url));
