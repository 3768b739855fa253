import { createSchema, type Migration } from '@ssb/postgres';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { migrations, SCHEMA } from '../../src/records/migrations.js';

/** A test database with the schema `reporting`. */
export interface ReportingDatabase extends TestDatabase {
  /** Connection URL of the run role. */
  readonly url: string;
}

/** @param applied migrations of the schema; all when omitted */
export async function createReportingDatabase(
  applied: readonly Migration[] = migrations,
): Promise<ReportingDatabase> {
  const database = await createTestDatabase();
  const passwords = { run: 'run password', migration: 'migration password' };
  const url = await createSchema(database.adminUrl, { schema: SCHEMA, migrations: applied, passwords });
  return Object.assign(database, { url });
}
