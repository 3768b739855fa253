import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from './errors.js';
import { applyMigrations, type Migration } from './migrations.js';
import { schemaSql } from './schema.js';

export const DEFAULT_MIGRATION_TIMEOUT_SECONDS = 60;
export const MAX_MIGRATION_TIMEOUT_SECONDS = 3_600;
const RETRY_DELAY_MS = 1_000;

export const MIGRATION_TIMEOUT_RULE = `--timeout takes a whole number of seconds from 0 to ${MAX_MIGRATION_TIMEOUT_SECONDS}.`;

/** Undefined for a text that breaks the rule. @param text undefined for the default */
export function parseMigrationTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return DEFAULT_MIGRATION_TIMEOUT_SECONDS;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  return seconds <= MAX_MIGRATION_TIMEOUT_SECONDS ? seconds : undefined;
}

export interface MigrationRun {
  /** Address for the role that owns the schema. */
  readonly url: string;
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** How long to wait for a database that cannot be reached: a job can start at the same time as its database. */
  readonly timeoutSeconds: number;
  /** Called once, with the reason, before it is tried again. */
  readonly onRetry: (reason: string) => void;
}

/**
 * Applies the pending migrations.
 * @returns text for the user: a line for each of them
 * @throws what `applyMigrations` throws
 */
export async function runMigrations({
  url,
  schema,
  migrations,
  timeoutSeconds,
  onRetry,
}: MigrationRun): Promise<string> {
  const deadline = Date.now() + timeoutSeconds * 1_000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const applied = await applyMigrations(url, schema, migrations);
      return applied.length === 0 ? 'up to date\n' : applied.map((id) => `applied ${id}\n`).join('');
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || Date.now() + RETRY_DELAY_MS > deadline) throw error;
      if (attempt === 1) onRetry(error.message);
    }
    await pause(RETRY_DELAY_MS);
  }
}

/** The statements that create a schema and its roles, as a script for psql. */
export function renderSetupSql(
  database: string,
  schema: string,
  furtherRoles: readonly string[] = [],
  obsoleteRoles: readonly string[] = [],
): string {
  return schemaSql(database, schema, furtherRoles, obsoleteRoles)
    .map((statement) => `${statement};\n`)
    .join('');
}
