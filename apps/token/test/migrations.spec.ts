import { Database } from '@ssb/postgres';
import { startTokenApp } from './support/running-app.js';
import { createTokenDatabase } from './support/token-database.js';
import { SCHEMA } from '../src/database/migrations.js';

it('a schema without migrations stops the start and names the migration command', async () => {
  const server = await createTokenDatabase([]);
  await expect(startTokenApp({ DATABASE_URL: server.url })).rejects.toThrow(
    'The database schema token lacks the migrations 001-accounts-and-signing-keys. ' +
      'Run "node apps/token/dist/src/migrate.js" with the DATABASE_MIGRATION_URL of the role token_migration, then start again.',
  );
  await server.close();
});

it('the run role may not change the schema, or remove accounts and keys', async () => {
  const server = await createTokenDatabase();
  const database = new Database({ url: server.url, schema: SCHEMA });
  for (const statement of [
    'CREATE TABLE token.other (id text)',
    'CREATE TEMPORARY TABLE other (id text)',
    'ALTER TABLE account ADD COLUMN other text',
    'DELETE FROM account',
    'TRUNCATE account',
    'UPDATE signing_key SET signs_from = now()',
    'TRUNCATE signing_key',
    'DELETE FROM migration',
    'SET ROLE token_migration',
  ])
    // 42501 is insufficient_privilege.
    await expect(database.query(statement)).rejects.toMatchObject({ code: '42501' });
  await database.close();
  await server.close();
});
