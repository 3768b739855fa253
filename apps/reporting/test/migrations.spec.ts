import { Database } from '@ssb/postgres';
import { createReportingDatabase, type ReportingDatabase } from './support/reporting-database.js';
import { runReporting } from './support/running-reporting.js';
import { SCHEMA } from '../src/records/migrations.js';

describe('a schema without the migrations', () => {
  let server: ReportingDatabase;

  beforeAll(async () => {
    server = await createReportingDatabase([]);
  });
  afterAll(() => server.close());

  it('ends the start with an error that names the command', async () => {
    await expect(runReporting({ DATABASE_URL: server.url })).rejects.toThrow(
      'The database schema reporting lacks the migrations 001-records. ' +
        'Run "node apps/reporting/dist/src/migrate.js" with the DATABASE_MIGRATION_URL of the role reporting_migration, then start again.',
    );
  });
});

describe('the run role', () => {
  let server: ReportingDatabase;
  let database: Database;

  beforeAll(async () => {
    server = await createReportingDatabase();
    database = new Database({ url: server.url, schema: SCHEMA });
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });

  it.each([
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
  ])('may not: %s', async (statement) => {
    // 42501 is insufficient_privilege.
    await expect(database.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});
