import {
  migrationSettings,
  readSettings,
  retentionSettings,
  standardError,
  standardOutput,
} from '@ssb/platform';
import {
  Database,
  DatabaseUnavailableError,
  MIGRATION_TIMEOUT_RULE,
  MissingSchemaError,
  parseMigrationTimeout,
  renderSetupSql,
  runMigrations,
} from '@ssb/postgres';
import {
  FURTHER_ROLES,
  migrations,
  OBSOLETE_ROLES,
  SCHEMA,
  writeRetention,
} from '@ssb/postgres/archive-schema';
import { CommandError, EXIT } from '../exit.js';
import { commandEnvironment, archiveDatabaseSettings } from '../settings.js';

export interface MigrateOptions {
  /** Seconds. */
  readonly timeout?: string;
  /** Name of the database. */
  readonly setupSql?: string;
}

/** Applies the migrations, or prints what an administrator runs before them. */
export async function migrate({ timeout, setupSql }: MigrateOptions): Promise<void> {
  const seconds = parseMigrationTimeout(timeout);
  if (seconds === undefined) throw new CommandError(MIGRATION_TIMEOUT_RULE, EXIT.usage);
  if (setupSql === undefined) await applyAll(seconds);
  else standardOutput.write(renderSetupSql(setupSql, SCHEMA, FURTHER_ROLES, OBSOLETE_ROLES));
}

async function applyAll(timeoutSeconds: number): Promise<void> {
  const { url, days } = readMigrationSettings();
  try {
    const applied = await runMigrations({
      url,
      schema: SCHEMA,
      migrations,
      timeoutSeconds,
      onRetry: (reason) => standardError.writeLine(`${reason} It is tried again.`),
    });
    standardOutput.write(applied);
    const owner = new Database({ url, schema: SCHEMA, connections: 1 });
    try {
      await writeRetention(owner, days);
    } finally {
      await owner.close();
    }
    standardOutput.writeLine(
      days === undefined
        ? 'archived events are kept: ARCHIVE_RETENTION_DAYS is unset'
        : `archived events are deleted after ${days} days`,
    );
  } catch (error) {
    throw explainFailure(error as Error);
  }
}

function readMigrationSettings(): { readonly url: string; readonly days: number | undefined } {
  const settings = readSettings(
    { ...migrationSettings, ...archiveDatabaseSettings, ...retentionSettings },
    commandEnvironment(),
  );
  const url = settings.DATABASE_MIGRATION_URL ?? settings.DATABASE_URL;
  if (url === undefined)
    throw new CommandError('Neither DATABASE_MIGRATION_URL nor DATABASE_URL is set.', EXIT.configuration);
  return { url, days: settings.ARCHIVE_RETENTION_DAYS };
}

/** SQLSTATEs of wrong credentials (28) and missing rights (42501). */
const NOT_PERMITTED = /^(?:28|42501)/;
const UNKNOWN_DATABASE = '3D000';

function explainFailure(error: Error): CommandError {
  const { code = '', startFault } = error as { readonly code?: string; readonly startFault?: string };
  const sentence = error.message.replace(/[^.]$/, '$&.');
  if (error instanceof DatabaseUnavailableError) return new CommandError(sentence, EXIT.unreachable);
  if (NOT_PERMITTED.test(code))
    return new CommandError(
      `The database refuses the role: ${sentence} Use the role ${SCHEMA}_migration.`,
      EXIT.notPermitted,
    );
  const isConfiguration =
    error instanceof MissingSchemaError || startFault === 'configuration' || code === UNKNOWN_DATABASE;
  return new CommandError(sentence, isConfiguration ? EXIT.configuration : EXIT.findings);
}
