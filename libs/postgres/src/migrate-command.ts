import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { escapeLine } from '@ssb/net';
import { DatabaseUnavailableError } from './errors.js';
import { applyMigrations, type Migration } from './migrations.js';
import { schemaSql } from './schema.js';
import { readMigrationUrl } from './settings.js';

const DEFAULT_TIMEOUT_SECONDS = 60;
const RETRY_DELAY_MS = 1_000;

const usage = (
  app: string,
): string => `Brings the tables of the ${app} up to date. The previous release may continue to run.

  DATABASE_MIGRATION_URL=postgres://${app}_migration:…@host/database node apps/${app}/dist/src/migrate.js
  node apps/${app}/dist/src/migrate.js --setup-sql <database> | psql …

Without DATABASE_MIGRATION_URL, the URL is DATABASE_URL.

  --timeout     seconds to wait for a database that cannot be reached, 0 to 3600; default ${DEFAULT_TIMEOUT_SECONDS}
  --setup-sql   print the SQL that creates the schema ${app} and its roles, for an administrator to run once;
                it sets no passwords: use \\password of psql
`;

interface Output {
  write(text: string): unknown;
}

/** Where the command writes. An app gives outputs that escape what a terminal would obey. */
export interface CommandOutputs {
  readonly output: Output;
  readonly errors: Output;
  /** Names of roles to which the migrations grant rights, beside the run role and the migration role. */
  readonly furtherRoles?: readonly string[];
}

/**
 * The command line of an app's migrations. Sets the exit status: 0, 1 for a failure, 2 for wrong usage.
 * @param app name of the app and of its schema
 */
export async function migrateCommand(
  app: string,
  migrations: readonly Migration[],
  outputs: CommandOutputs,
): Promise<void> {
  process.exitCode = await runMigrateCommand(app, migrations, outputs, process.argv.slice(2));
}

/** @returns the exit status */
export async function runMigrateCommand(
  app: string,
  migrations: readonly Migration[],
  { output, errors, furtherRoles = [] }: CommandOutputs,
  args: string[],
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  const refuse = (reason: string): number => {
    errors.write(`${escapeLine(reason)}\n\n${usage(app)}`);
    return 2;
  };
  try {
    const { values } = parseArgs({
      args,
      options: {
        'setup-sql': { type: 'string' },
        timeout: { type: 'string', default: String(DEFAULT_TIMEOUT_SECONDS) },
        help: { type: 'boolean', default: false },
      },
    });
    const databaseUrl = readMigrationUrl(environment);
    const database = values['setup-sql'];
    if (values.help) output.write(usage(app));
    else if (database !== undefined)
      output.write(
        schemaSql(database, app, furtherRoles)
          .map((statement) => `${statement};\n`)
          .join(''),
      );
    else if (!/^\d{1,4}$/.test(values.timeout) || Number(values.timeout) > 3_600)
      return refuse('--timeout takes a whole number of seconds from 0 to 3600.');
    else if (databaseUrl === undefined)
      return refuse('Neither DATABASE_MIGRATION_URL nor DATABASE_URL is set.');
    else {
      const applied = await retryWhileUnavailable(Number(values.timeout) * 1_000, errors, () =>
        applyMigrations(databaseUrl, app, migrations),
      );
      output.write(applied.length === 0 ? 'up to date\n' : applied.map((id) => `applied ${id}\n`).join(''));
    }
    return 0;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS')) return refuse(message);
    errors.write(`${escapeLine(message)}\n`);
    return 1;
  }
}

/** A job can start at the same time as its database. */
async function retryWhileUnavailable<T>(
  timeoutMs: number,
  errors: Output,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || Date.now() + RETRY_DELAY_MS > deadline) throw error;
      if (attempt === 1) errors.write(`${escapeLine(error.message)} It is tried again.\n`);
    }
    await pause(RETRY_DELAY_MS);
  }
}
