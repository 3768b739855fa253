import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createTestDatabase, waitFor, type TestDatabase } from '@ssb/testing';
import { readDatabaseClock } from './database-clock.js';
import { Database, type DatabaseOptions, type SqlSession } from './database.js';
import { DatabaseUnavailableError, InvalidDatabaseNameError, TransactionAbortedError } from './errors.js';
import { openDatabase } from './migrations.js';
import type { NotificationHandler } from './notification-listener.js';
import { createTestApp, migration, type TestApp } from '../test/test-app.js';

let server: TestDatabase;
let app: TestApp;
let db: Database;
let open: Database[];

const createApp = (): Promise<TestApp> =>
  createTestApp(server, (schema) => [
    migration(
      '001-fact',
      `CREATE TABLE fact (id text PRIMARY KEY); GRANT SELECT, INSERT ON fact TO ${schema}`,
    ),
  ]);

const openApp = ({ schema, url }: TestApp, options: Partial<DatabaseOptions> = {}): Database => {
  const opened = new Database({ schema, url, ...options });
  open.push(opened);
  return opened;
};

/** Records its calls in `events`. */
const recordIn = (events: string[]): NotificationHandler => ({
  received: (payload) => events.push(payload),
  lost: () => events.push('lost'),
  regained: () => events.push('regained'),
});

beforeAll(async () => {
  server = await createTestDatabase();
  app = await createApp();
});
beforeEach(async () => {
  open = [];
  await server.query(`TRUNCATE ${app.schema}.fact`);
  db = openApp(app);
});
afterEach(async () => {
  for (const each of open) await each.close();
});
afterAll(() => server.close());

describe('the clock of the database', () => {
  it('is read between request and response', async () => {
    const { requestedAt, respondedAt, remoteTime, resolutionMs } = await readDatabaseClock(db);
    // Server and test run on one machine. Both clocks are rounded down to milliseconds.
    expect(remoteTime + resolutionMs).toBeGreaterThanOrEqual(requestedAt);
    expect(remoteTime).toBeLessThanOrEqual(respondedAt);
  });
});

describe('statements', () => {
  it('return every value unchanged', async () => {
    const sql = `SELECT $1::numeric AS amount, $2::text AS words, $3::date AS day, $4::timestamp AS local, $5::timestamptz AS moment,
      $6::bigint AS big, $7::bigint AS small, $8::text[] AS list, $9::boolean AS yes, $10::integer AS nothing, $11::bytea AS bytes`;
    const moment = new Date('2026-03-01T02:03:04.567Z');
    const words = 'Ωmega "quoted" \\ {,} 😀\n';
    const list = [words, 'NULL', '', null];
    const values = ['123456789012345.12345678', words, '0001-02-28', '2026-03-01T10:00:00', moment];
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    const [row] = await db.query(sql, [...values, 9_007_199_254_740_993n, 7, list, true, null, bytes]);
    expect(row).toEqual({
      amount: '123456789012345.12345678',
      words,
      day: '0001-02-28',
      local: '2026-03-01 10:00:00',
      moment,
      big: 9_007_199_254_740_993n,
      small: 7,
      list,
      yes: true,
      nothing: null,
      bytes,
    });
  });

  it('cannot write on a read-only database', async () => {
    const readOnly = openApp(app, { readOnly: true });
    const writing = readOnly.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
    await expect(writing).rejects.toMatchObject({ code: '25006' });
    expect(await readOnly.query('SELECT id FROM fact')).toEqual([]);
  });
});

describe('a transaction', () => {
  it('is rolled back as a whole when its work throws', async () => {
    const work = db.transaction(async (session) => {
      await session.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
      throw new Error('no longer wanted');
    });
    await expect(work).rejects.toThrow('no longer wanted');
    expect(await db.query('SELECT id FROM fact')).toEqual([]);
  });

  it('fails when its work ignores the error of a statement', async () => {
    const work = db.transaction(async (session) => {
      await session.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
      await session.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(work).rejects.toThrow(TransactionAbortedError);
    expect(await db.query('SELECT id FROM fact')).toEqual([]);
  });

  it('fails when its connection is ended, and nothing of it is kept', async () => {
    const work = db.transaction(async (session) => {
      await session.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
      const [row] = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await server.query('SELECT pg_terminate_backend($1, 30000)', [row?.pid]);
      await session.query('SELECT 1');
    });
    await expect(work).rejects.toThrow(DatabaseUnavailableError);
    expect(await db.query('SELECT id FROM fact')).toEqual([]);
  });
});

describe('a session that became unusable is replaced, so that the next statement succeeds', () => {
  const insert = (id: string, by: Database | SqlSession = db) =>
    by.query('INSERT INTO fact (id) VALUES ($1)', [id]);

  it.each(['DATABASE', 'ROLE'])('after its %s was read-only for a while', async (kind) => {
    const name = kind === 'ROLE' ? app.schema : new URL(app.url).pathname.slice(1);
    await server.query(`ALTER ${kind} ${name} SET default_transaction_read_only = on`);
    // Two sessions that are read-only, of which one finds out.
    const few = openApp(app, { connections: 2 });
    await Promise.all([few.query('SELECT pg_sleep(0.01)'), few.query('SELECT pg_sleep(0.01)')]);
    await server.query(`BEGIN READ WRITE; ALTER ${kind} ${name} RESET default_transaction_read_only; COMMIT`);
    await expect(few.transaction((session) => insert('a', session))).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      code: '25006',
    });
    await Promise.all([insert('b', few), few.transaction((session) => insert('c', session))]);
    expect(await few.query('SELECT id FROM fact ORDER BY id')).toEqual([{ id: 'b' }, { id: 'c' }]);
  });

  it('after its role had another one, which lacks rights', async () => {
    const other = `${app.schema}_other`;
    await server.query(`CREATE ROLE ${other}; GRANT ${other} TO ${app.schema}`);
    await server.query(`GRANT USAGE ON SCHEMA ${app.schema} TO ${other}`);
    await server.query(`ALTER ROLE ${app.schema} SET role = '${other}'`);
    const one = openApp(app, { connections: 1 });
    await one.query('SELECT 1');
    await server.query(`ALTER ROLE ${app.schema} RESET role`);
    await expect(insert('a', one)).rejects.toMatchObject({ code: '42501' });
    await insert('b', one);
    await server.query(`DROP OWNED BY ${other}`);
    await server.query(`DROP ROLE ${other}`);
  });

  it('also when the work of a transaction hides the error', async () => {
    await server.query(`ALTER ROLE ${app.schema} SET default_transaction_read_only = on`);
    const one = openApp(app, { connections: 1 });
    await one.query('SELECT 1');
    await server.query(`ALTER ROLE ${app.schema} RESET default_transaction_read_only`);
    const hiding = one.transaction((session) =>
      insert('a', session).catch(() => Promise.reject(new Error('not stored'))),
    );
    await expect(hiding).rejects.toThrow('not stored');
    await one.transaction((session) => insert('b', session));
  });

  it('and an error of the statement keeps it', async () => {
    const one = openApp(app, { connections: 1 });
    const readPid = () => one.query('SELECT pg_backend_pid() AS pid');
    const before = await readPid();
    await insert('a', one);
    await expect(insert('a', one)).rejects.toMatchObject({ code: '23505' });
    expect(await readPid()).toEqual(before);
  });
});

describe('a listener', () => {
  it('receives what was committed, in order, and nothing that was rolled back', async () => {
    const events: string[] = [];
    await db.listen('news', recordIn(events));
    const undone = db.transaction(async (session) => {
      await session.notify('news', 'undone');
      throw new Error('no longer wanted');
    });
    await expect(undone).rejects.toThrow('no longer wanted');
    await db.transaction((session) => session.notify('news', 'first'));
    await db.notify('news', 'last');
    await waitFor('the last notification', () => events.includes('last'));
    expect(events).toEqual(['first', 'last']);
  });

  it('receives nothing once it has stopped, which may be repeated', async () => {
    const [stopped, others]: [string[], string[]] = [[], []];
    const stop = await db.listen('news', recordIn(stopped));
    await stop();
    await stop();
    await db.listen('news', recordIn(others));
    await db.notify('news', 'x');
    await waitFor('the notification', () => others.includes('x'));
    expect(stopped).toEqual([]);
  });

  it('receives from the replicas of its app, and not from another app', async () => {
    const [events, eventsOfOther]: [string[], string[]] = [[], []];
    const other = openApp(await createApp());
    await openApp(app).listen('news', recordIn(events));
    await other.listen('news', recordIn(eventsOfOther));
    await db.notify('news', 'x');
    await other.notify('news', 'y');
    await waitFor('both notifications', () => events.length > 0 && eventsOfOther.length > 0);
    expect([events, eventsOfOther]).toEqual([['x'], ['y']]);
  });

  it('needs a channel whose name needs no quotes', async () => {
    const wrong = 'a; DROP TABLE fact';
    await expect(db.notify(wrong, 'x')).rejects.toThrow(InvalidDatabaseNameError);
    expect(() => db.listen(wrong, recordIn([]))).toThrow(InvalidDatabaseNameError);
  });
});

describe('a restart of the server', () => {
  it('is reported to listeners, and later statements work', async () => {
    const [events, connectionEvents]: [string[], string[]] = [[], []];
    const watched = openApp(app, { onConnectionEvent: ({ what }) => connectionEvents.push(what) });
    await watched.listen('news', recordIn(events));
    await server.restart();
    await waitFor('the listener to listen again', () => events.includes('regained'));
    expect(await watched.query('SELECT id FROM fact')).toEqual([]);
    await watched.notify('news', 'x');
    await waitFor('the notification', () => events.includes('x'));
    expect(events).toEqual(['lost', 'regained', 'x']);
    expect(connectionEvents).toEqual(['listening-lost', 'listening-again']);
  });

  it('leaves one listening connection, although another listener is added meanwhile', async () => {
    const [events, more]: [string[], string[]] = [[], []];
    await db.listen('news', recordIn(events));
    await server.shutDown();
    await waitFor('the loss', () => events.includes('lost'));
    await server.start();
    let listens = false;
    await waitFor('the second listener', async () => {
      await db.listen('more', recordIn(more)).then(
        () => (listens = true),
        () => undefined,
      );
      return listens;
    });
    await waitFor('the listener to listen again', () => events.includes('regained'));
    await db.notify('news', 'x');
    await db.notify('more', 'y');
    await waitFor('both notifications', () => events.includes('x') && more.includes('y'));
    const sessions = `SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND query NOT LIKE '%pg_notify%'`;
    expect(await server.query(sessions, [app.schema])).toHaveLength(1);
  });
});

describe('an unavailable server', () => {
  it('is reported without the password, and is used again once it is available', async () => {
    await db.query('SELECT 1');
    await server.shutDown();
    const error = await db.query('SELECT 1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DatabaseUnavailableError);
    expect((error as Error).message).not.toMatch(/postgres:|password/);
    await server.start();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('that ends a session together with its start makes the statement fail, not the process', async () => {
    const ready = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
    const reason = 'terminating connection due to administrator command';
    const fields = Buffer.from(`SFATAL\0C57P01\0M${reason}\0\0`);
    const end = Buffer.concat([Buffer.from([0x45, 0, 0, 0, fields.length + 4]), fields]);
    // A real server seldom sends both in one segment. The bytes are those of its protocol, version 3.
    const ending = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([ready, end])));
    });
    await once(ending.listen(0, '127.0.0.1'), 'listening');
    const url = `postgres://a:b@127.0.0.1:${(ending.address() as AddressInfo).port}/c`;
    await expect(openApp({ ...app, url }).query('SELECT 1')).rejects.toThrow(reason);
    await new Promise((resolve) => ending.close(resolve));
  });

  it('makes openDatabase fail', async () => {
    await server.shutDown();
    const opening = openDatabase({ ...app, migrations: [] });
    await expect(opening).rejects.toThrow(DatabaseUnavailableError);
    await expect(opening).rejects.toThrow(`connect ECONNREFUSED 127.0.0.1:${server.port}`);
    await server.start();
  });
});
