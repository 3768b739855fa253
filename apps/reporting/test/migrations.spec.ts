import { Database } from '@ssb/postgres';
import { createReportingDatabase } from './support/reporting-database.js';
import { runReporting } from './support/running-reporting.js';
import { SCHEMA } from '../src/records/migrations.js';

it('a schema without the migrations ends the start with an error that names the command', async () => {
  const server = await createReportingDatabase([]);
  await expect(runReporting({ DATABASE_URL: server.url })).rejects.toThrow(
    'The database schema reporting lacks the migrations 001-records. ' +
      'Run "node apps/reporting/dist/src/migrate.js" with the DATABASE_MIGRATION_URL of the role reporting_migration, then start again.',
  );
  await server.close();
});

it('the run role may not change the schema, or what is published', async () => {
  const server = await createReportingDatabase();
  const database = new Database({ url: server.url, schema: SCHEMA });
  for (const statement of [
    'CREATE TABLE reporting.other (id text)',
    'CREATE TEMPORARY TABLE other (id text)',
    'ALTER TABLE statement ADD COLUMN other text',
    `UPDATE statement SET document = ''`,
    'UPDATE invoice SET file = NULL',
    'DELETE FROM invoice',
    'TRUNCATE prudential',
    'DELETE FROM cycle',
    'DELETE FROM migration',
    'SET ROLE reporting_migration',
  ])
    // 42501 is insufficient_privilege.
    await expect(database.query(statement)).rejects.toMatchObject({ code: '42501' });
  await database.close();
  await server.close();
});
