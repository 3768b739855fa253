import { parseArgs } from 'node:util';
import { applyMigrations, type Migration } from './migrations.js';
import { schemaSql } from './schema.js';

const usage = (
  app: string,
): string => `Brings the tables of the ${app} up to date. The previous release may go on running.

  DATABASE_URL=postgres://${app}_migration:…@host/database node apps/${app}/dist/src/migrate.js
  node apps/${app}/dist/src/migrate.js --setup-sql <database> | psql …

  --setup-sql   print the SQL that creates the schema ${app} and its two roles, for an administrator to run once;
                it sets no passwords: use \\password of psql
`;

/**
 * The command line of an app's migrations. Sets the exit status: 0, 1 for a failure, 2 for wrong usage.
 * @param app name of the app and of its schema
 * @param databaseUrl `DATABASE_URL`
 */
export async function migrateCommand(
  app: string,
  migrations: readonly Migration[],
  databaseUrl: string | undefined,
): Promise<void> {
  try {
    const { values } = parseArgs({
      options: { 'setup-sql': { type: 'string' }, help: { type: 'boolean', default: false } },
    });
    const database = values['setup-sql'];
    if (values.help) print(usage(app));
    else if (database !== undefined)
      print(
        schemaSql(database, app)
          .map((statement) => `${statement};\n`)
          .join(''),
      );
    else if (databaseUrl === undefined) exitWithUsage(app, 'DATABASE_URL is not set.');
    else {
      const applied = await applyMigrations(databaseUrl, app, migrations);
      print(applied.length === 0 ? 'up to date\n' : applied.map((id) => `applied ${id}\n`).join(''));
    }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS')) return exitWithUsage(app, message);
    process.stderr.write(`${message}\n`);
    process.exitCode = 1;
  }
}

function exitWithUsage(app: string, reason: string): void {
  process.stderr.write(`${reason}\n\n${usage(app)}`);
  process.exitCode = 2;
}

function print(text: string): void {
  process.stdout.write(text);
}
