import { Command } from 'commander';
import type { MigrateOptions } from '../migrate/migrate.js';

const HELP = `
DATABASE_MIGRATION_URL is the address of the archive's database with the role subscriber_migration; without it, DATABASE_URL is.
ARCHIVE_RETENTION_DAYS is that of the subscriber: archived events are deleted after these days. Without it they are kept.

Exit status: 0 all migrations are applied, 1 one failed and nothing of it is kept, 2 wrong usage, 69 the database cannot be reached,
77 it refuses the role, 78 an address, the schema or the database is wrong.

Examples:
  busbridge migrate
  busbridge migrate --setup-sql bridge | psql bridge
  DATABASE_MIGRATION_URL='postgres://subscriber_migration:…@host/bridge?sslmode=verify-full' busbridge migrate --timeout 300
`;

/** `busbridge migrate`. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Brings the tables of the archive up to date. The previous release may continue to run.')
    .option(
      '--timeout <seconds>',
      'how long to wait for a database that cannot be reached, 0 to 3600 (default: 60)',
    )
    .option(
      '--setup-sql <database>',
      'print the SQL that creates the schema and its roles, for an administrator to run once; it sets no passwords: use \\password of psql',
    )
    .addHelpText('after', HELP)
    .action(async (options: MigrateOptions) => (await import('../migrate/migrate.js')).migrate(options));
}
