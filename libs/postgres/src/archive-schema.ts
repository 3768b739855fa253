import type { SqlSession } from './database.js';
import { readMigrations } from './migrations.js';

/** The schema of the archive and its run role, which the subscriber uses. */
export const SCHEMA = 'subscriber';

/** The role of the archive API. */
export const API_ROLE = 'api';
/** The role of the poller, which stores documents. */
export const POLLER_ROLE = 'poller';
export const FURTHER_ROLES = [API_ROLE, POLLER_ROLE] as const;
/** Migrations grant rights to them. Nothing logs in with them any more. */
export const OBSOLETE_ROLES = ['requests'] as const;

/** The subscriber and the archive API require them; `busbridge migrate` applies them. */
export const migrations = readMigrations(new URL('../../archive-migrations/', import.meta.url));

/**
 * Sets after how many days archived events are deleted, as the owner of the tables.
 * @param days undefined to keep them
 */
export async function writeRetention(owner: SqlSession, days: number | undefined): Promise<void> {
  if (days === undefined) await owner.query('DELETE FROM archive_retention');
  else
    await owner.query(
      'INSERT INTO archive_retention (days) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET days = excluded.days',
      [days],
    );
}
