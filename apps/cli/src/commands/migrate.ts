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
  DEFAULT_MIGRATION_TIMEOUT_SECONDS,
  MAX_MIGRATION_TIMEOUT_SECONDS,
  MissingSchemaError,
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
import { Command, InvalidArgumentError } from 'commander';
import { CommandError, EXIT } from '../exit.js';
import { commandEnvironment, archiveDatabaseSettings } from '../settings.js';

const HELP = `
DATABASE_MIGRATION_URL is the address of the archive's database with the role ${SCHEMA}_migration; without it, DATABASE_URL is.
ARCHIVE_RETENTION_DAYS is that of the subscriber: archived events are deleted after these days. Without it they are kept.

Exit status: 0 all migrations are applied, 1 one failed and nothing of it is kept, 2 wrong usage, 69 the database cannot be reached,
77 it refuses the role, 78 an address, the schema or the database is wrong.

Examples:
  busbridge migrate
  busbridge migrate --setup-sql bridge | psql bridge
  DATABASE_MIGRATION_URL='postgres://${SCHEMA}_migration:…@host/bridge?sslmode=verify-full' busbridge migrate --timeout 300
`;

/** `busbridge migrate`. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Brings the tables of the archive up to date. The previous release may continue to run.')
    .option(
      '--timeout <seconds>',
      `how long to wait for a database that cannot be reached, 0 to ${MAX_MIGRATION_TIMEOUT_SECONDS}`,
      parseTimeout,
      DEFAULT_MIGRATION_TIMEOUT_SECONDS,
    )
    .option(
      '--setup-sql <database>',
      `print the SQL that creates the schema ${SCHEMA} and its roles, for an administrator to run once; it sets no passwords: use \\password of psql`,
    )
    .addHelpText('after', HELP)
    .action(async ({ timeout, setupSql }: { timeout: number; setupSql?: string }) => {
      if (setupSql === undefined) await migrate(timeout);
      else standardOutput.write(renderSetupSql(setupSql, SCHEMA, FURTHER_ROLES, OBSOLETE_ROLES));
    });
}

async function migrate(timeoutSeconds: number): Promise<void> {
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

function parseTimeout(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (!(seconds <= MAX_MIGRATION_TIMEOUT_SECONDS))
    throw new InvalidArgumentError(`A whole number of seconds from 0 to ${MAX_MIGRATION_TIMEOUT_SECONDS}.`);
  return seconds;
}
