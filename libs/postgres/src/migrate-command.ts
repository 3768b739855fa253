import { parseArgs } from 'node:util';
import { escapeLine } from '@ssb/net';
import type { Migration } from './migrations.js';
import {
  DEFAULT_MIGRATION_TIMEOUT_SECONDS,
  MAX_MIGRATION_TIMEOUT_SECONDS,
  MIGRATION_TIMEOUT_RULE,
  parseMigrationTimeout,
  renderSetupSql,
  runMigrations,
} from './run-migrations.js';
import { readMigrationUrl } from './settings.js';

const usage = (
  app: string,
): string => `Brings the tables of the ${app} up to date. The previous release may continue to run.

  DATABASE_MIGRATION_URL=postgres://${app}_migration:…@host/database node apps/${app}/dist/src/migrate.js
  node apps/${app}/dist/src/migrate.js --setup-sql <database> | psql …

Without DATABASE_MIGRATION_URL, the URL is DATABASE_URL.

  --timeout     seconds to wait for a database that cannot be reached, 0 to ${MAX_MIGRATION_TIMEOUT_SECONDS}; default ${DEFAULT_MIGRATION_TIMEOUT_SECONDS}
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
  { output, errors }: CommandOutputs,
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
        timeout: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const databaseUrl = readMigrationUrl(environment);
    const database = values['setup-sql'];
    const timeoutSeconds = parseMigrationTimeout(values.timeout);
    if (values.help) output.write(usage(app));
    else if (database !== undefined) output.write(renderSetupSql(database, app));
    else if (timeoutSeconds === undefined) return refuse(MIGRATION_TIMEOUT_RULE);
    else if (databaseUrl === undefined)
      return refuse('Neither DATABASE_MIGRATION_URL nor DATABASE_URL is set.');
    else {
      output.write(
        await runMigrations({
          url: databaseUrl,
          schema: app,
          migrations,
          timeoutSeconds,
          onRetry: (reason) => errors.write(`${escapeLine(reason)} It is tried again.\n`),
        }),
      );
    }
    return 0;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS')) return refuse(message);
    errors.write(`${escapeLine(message)}\n`);
    return 1;
  }
}
