import { createTestDatabase, type TestDatabase } from './test-database.js';
import { waitFor } from './wait-for.js';

describe('a test database', () => {
  const databases: TestDatabase[] = [];

  const create = async (): Promise<TestDatabase> => {
    const database = await createTestDatabase();
    databases.push(database);
    return database;
  };

  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
  });

  it('shares its server with the others, but no table', async () => {
    const [one, other] = [await create(), await create()];
    await one.query('CREATE TABLE fact AS SELECT $1::text AS id', ['one']);
    expect(await one.query('SELECT id FROM fact')).toEqual([{ id: 'one' }]);
    await expect(other.query('SELECT id FROM fact')).rejects.toThrow('does not exist');
    expect([other.port, other.pid]).toEqual([one.port, one.pid]);
  });

  it('is created although the previous file left the server stopped', async () => {
    const last = await createTestDatabase();
    await last.shutDown();
    const next = await create();
    expect(await next.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is removed when it is closed, also with open connections', async () => {
    const [one, other] = [await create(), await createTestDatabase()];
    const name = new URL(other.adminUrl).pathname.slice(1);
    const sleep = expect(other.query('SELECT pg_sleep(600)')).rejects.toThrow();
    const sessions = 'SELECT 1 FROM pg_stat_activity WHERE datname = $1';
    await waitFor('the session', async () => (await one.query(sessions, [name])).length > 0);
    await other.close();
    await sleep;
    expect(await one.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])).toEqual([]);
  });
});
