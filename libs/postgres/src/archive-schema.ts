import { readMigrations } from './migrations.js';

/** The schema of the archive and its run role, which the subscriber uses. */
export const SCHEMA = 'subscriber';

/** The role of `busbridge`: it reads what is listed, and adds requests. */
export const REQUESTS_ROLE = 'requests';
/** The role of the archive API. */
export const API_ROLE = 'api';
export const FURTHER_ROLES = [REQUESTS_ROLE, API_ROLE] as const;

/** The subscriber and the archive API require them; `busbridge migrate` applies them. */
export const migrations = readMigrations(new URL('../../archive-migrations/', import.meta.url));
