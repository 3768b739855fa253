import { Database } from '@ssb/postgres';
import { startTokenApp } from './support/running-app.js';
import { createTokenDatabase, type TokenDatabase } from './support/token-database.js';
import { SCHEMA } from '../src/database/migrations.js';

describe('a schema without migrations', () => {
  let server: TokenDatabase;

  beforeAll(async () => {
    server = await createTokenDatabase([]);
  });
  afterAll(() => server.close());

  it('stops the start and names the migration command', async () => {
    await expect(startTokenApp({ DATABASE_URL: server.url })).rejects.toThrow(
      'The database schema token lacks the migrations 001-accounts-and-signing-keys. ' +
        'Run "node apps/token/dist/src/migrate.js" with the DATABASE_MIGRATION_URL of the role token_migration, then start again.',
    );
  });
});

describe('the run role', () => {
  let server: TokenDatabase;
  let database: Database;

  beforeAll(async () => {
    server = await createTokenDatabase();
    database = new Database({ url: server.url, schema: SCHEMA });
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });

  it.each([
    'CREATE TABLE token.other (id text)',
    'CREATE TEMPORARY TABLE other (id text)',
    'ALTER TABLE account ADD COLUMN other text',
    'DELETE FROM account',
    'TRUNCATE account',
    'UPDATE signing_key SET signs_from = now()',
    'TRUNCATE signing_key',
    'DELETE FROM migration',
    'SET ROLE token_migration',
  ])('may not: %s', async (statement) => {
    // 42501 is insufficient_privilege.
    await expect(database.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});
