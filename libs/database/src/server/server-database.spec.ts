import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../database.js';
import { DatabaseUnavailableError } from '../errors.js';
import { openDatabase, type DatabaseNotice } from '../open-database.js';
import { startTestPostgres, type TestPostgres } from '../testing/test-postgres.js';

const migrations = [
  { id: '001-fact', sql: 'CREATE TABLE fact (id text PRIMARY KEY)' },
  { id: '002-first', sql: `INSERT INTO fact VALUES ('first')` },
];

describe('a PostgreSQL server', () => {
  let server: TestPostgres;
  let open: Database[];
  let number = 0;
  let schema: string;

  const database = async (
    options: { connections?: number; onNotice?: (notice: DatabaseNotice) => void } = {},
  ): Promise<Database> => {
    const opened = await openDatabase(server.url, migrations, { schema, ...options });
    open.push(opened);
    return opened;
  };

  beforeAll(async () => {
    server = await startTestPostgres();
  });
  beforeEach(() => {
    open = [];
    schema = `app_${number++}`;
  });
  afterEach(async () => {
    for (const each of open) await each.close();
  });
  afterAll(() => server.stop());

  it('runs each migration once though several replicas start at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => database()));
    expect(await open[0]?.query('SELECT id FROM fact')).toEqual([{ id: 'first' }]);
  });

  it('keeps the tables of two apps apart', async () => {
    const one = await database();
    await one.query(`INSERT INTO fact VALUES ('one')`);
    schema = `app_${number++}`;
    const other = await database();
    expect(await other.query('SELECT id FROM fact')).toEqual([{ id: 'first' }]);
  });

  it('tells the replicas of one app, and not those of another', async () => {
    const [one, same] = [await database(), await database()];
    schema = `app_${number++}`;
    const other = await database();
    const heard: string[] = [];
    const both = new Promise<void>((resolve) => {
      const listener = { lost: () => undefined, regained: () => undefined };
      void same.listen('news', { ...listener, heard: (payload) => heard.push(`same ${payload}`) });
      void other.listen('news', {
        ...listener,
        heard: (payload) => {
          heard.push(`other ${payload}`);
          resolve();
        },
      });
    });
    // A listener hears what is committed after it listens: so it is asked until both do.
    while ((await one.query('SELECT 1 FROM pg_stat_activity WHERE query LIKE $1', ['LISTEN%'])).length < 2);
    await one.notify('news', 'x');
    await other.notify('news', 'y');
    await both;
    expect(heard.sort()).toEqual(['other y', 'same x']);
  });

  it('goes on after the server was restarted, and says that it could not hear meanwhile', async () => {
    const notices: string[] = [];
    const db = await database({ onNotice: ({ what }) => notices.push(what) });
    const events: string[] = [];
    const regained = new Promise<void>((resolve) => {
      void db
        .listen('news', {
          heard: (payload) => events.push(payload),
          lost: () => events.push('lost'),
          regained: () => {
            events.push('regained');
            resolve();
          },
        })
        .then(() => server.restart());
    });
    await regained;
    expect(await db.query('SELECT id FROM fact')).toEqual([{ id: 'first' }]);
    const heard = new Promise<void>((resolve) => {
      void db.listen('more', { heard: () => resolve(), lost: () => undefined, regained: () => undefined });
    });
    await db.notify('news', 'heard again');
    while (
      (await db.query('SELECT 1 FROM pg_stat_activity WHERE query LIKE $1', [`LISTEN ${schema}_more`]))
        .length < 1
    );
    await db.notify('more', 'x');
    await heard;
    expect(events).toEqual(['lost', 'regained', 'heard again']);
    expect(notices).toEqual(expect.arrayContaining(['listening-lost', 'listening-again']));
  });

  it('says that the server is away, and works again once it is back', async () => {
    const db = await database();
    await server.shutDown();
    const failure = await db.query('SELECT 1').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnavailableError);
    expect((failure as Error).message).not.toContain('postgres://');
    await server.start();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('fails a transaction whose connection is cut, and keeps nothing of it', async () => {
    const db = await database();
    const cut = db.transaction(async (session) => {
      await session.query(`INSERT INTO fact VALUES ('lost')`);
      const [me] = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await db.query('SELECT pg_terminate_backend($1, 5000)', [me?.pid ?? 0]);
      await session.query('SELECT 1');
    });
    await expect(cut).rejects.toThrow(DatabaseUnavailableError);
    expect(await db.query('SELECT id FROM fact')).toEqual([{ id: 'first' }]);
  });

  it('opens no more connections than it is allowed, and lets the others wait', async () => {
    const db = await database({ connections: 2 });
    const count = `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE backend_type = 'client backend' AND pg_sleep(0.01)::text = ''`;
    await Promise.all(Array.from({ length: 20 }, () => db.query(count)));
    // The connection that migrated may be on its way out still; those of the pool stay.
    const now = `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE backend_type = 'client backend'`;
    while ((await db.query<{ count: number }>(now))[0]?.count !== 2);
  });

  it('cannot be opened where no server is', async () => {
    const port = server.port;
    await server.shutDown();
    const opening = openDatabase(`postgres://test:hidden@127.0.0.1:${port}/postgres`, migrations);
    await expect(opening).rejects.toThrow(DatabaseUnavailableError);
    await expect(opening).rejects.toThrow(`connect ECONNREFUSED 127.0.0.1:${port}`);
    await server.start();
  });
});
