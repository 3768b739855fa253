import { createSchema, type Migration } from '@ssb/postgres';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { migrations, SCHEMA } from '../../src/database/migrations.js';

/** A test database with the schema `token`. */
export interface TokenDatabase extends TestDatabase {
  /** URL of the run role. */
  readonly url: string;
}

/** @param applied the migrations of the schema, by default all */
export async function createTokenDatabase(
  applied: readonly Migration[] = migrations,
): Promise<TokenDatabase> {
  const database = await createTestDatabase();
  const passwords = { run: 'run password', migration: 'migration password' };
  const url = await createSchema(database.adminUrl, { schema: SCHEMA, migrations: applied, passwords });
  return Object.assign(database, { url });
}
