import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createTestDatabase, waitFor, type TestDatabase } from '@ssb/testing';
import { Database } from './database.js';
import {
  ChangedMigrationError,
  DatabaseEncodingError,
  DatabaseUnavailableError,
  MigrationRunningError,
  MissingSchemaError,
  PendingMigrationsError,
} from './errors.js';
import {
  applyMigrations,
  openDatabase,
  readMigrations,
  assertMigrations,
  type Migration,
} from './migrations.js';
import { createSchema } from './schema.js';
import { createTestApp, migration, type TestApp } from '../test/test-app.js';

/** Between the statements of the previous release, which leave processor time to others. */
const STATEMENT_PAUSE_MS = 10;

describe('a folder of migrations', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (...files: string[]): Migration[] => {
    for (const file of files) writeFileSync(join(folder, file), 'SELECT 1;\n');
    return readMigrations(pathToFileURL(folder));
  };

  it('is read in the order of the numbers, with the SHA-256 of each file', () => {
    const migrations = read('010-later.sql', '002-second.sql', '001-first.sql');
    expect(migrations.map(({ id }) => id)).toEqual(['001-first', '002-second', '010-later']);
    // By sha256sum.
    const checksum = 'b4e0497804e46e0a0b0b8c31975b062152d551bac49c3c2e80932567b4085dcd';
    expect(migrations[0]).toEqual({ id: '001-first', sql: 'SELECT 1;\n', checksum });
  });

  it.each(['1-first.sql', '001_first.sql', '001-First.sql', '001-first.SQL', 'notes.txt'])(
    'does not hold %s',
    (file) => {
      expect(() => read('001-first.sql', file)).toThrow(
        `${join(folder, file)} is not named like 001-name.sql.`,
      );
    },
  );

  it('has each number once', () => {
    expect(() => read('001-first.sql', '002-a.sql', '002-b.sql')).toThrow(
      'two migrations with the number 002',
    );
  });
});

it('a database with another encoding than UTF8 is refused: at the migration, at the start, and before a schema is created', async () => {
  const server = await createTestDatabase();
  await server.query('DROP DATABASE IF EXISTS latin');
  await server.query(`CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  const url = server.adminUrl.replace(/[^/]+$/, 'latin');
  try {
    const applying = applyMigrations(url, 'public', [migration('001-first', 'SELECT 1')]);
    const refusal =
      /^The database latin has the encoding LATIN1; UTF8 is required\. Create another database with "CREATE DATABASE/;
    await expect(applying).rejects.toThrow(refusal);
    await expect(applying).rejects.toThrow(DatabaseEncodingError);
    const opening = openDatabase({ url, schema: 'public', migrations: [] });
    await expect(opening).rejects.toMatchObject({ startFault: 'configuration', encoding: 'LATIN1' });
    const passwords = { run: 'run', migration: 'migration' };
    const creating = createSchema(url, { schema: 'latin_app', migrations: [], passwords });
    await expect(creating).rejects.toThrow(refusal);
    expect(await server.query(`SELECT 1 FROM pg_roles WHERE rolname = 'latin_app'`)).toEqual([]);
  } finally {
    await server.query('DROP DATABASE latin WITH (FORCE)');
    await server.close();
  }
});

describe('the migrations of an app', () => {
  let server: TestDatabase;
  let app: TestApp;
  let first: Migration;
  const second = migration('002-note', 'ALTER TABLE fact ADD COLUMN note text');

  beforeAll(async () => {
    server = await createTestDatabase();
  });
  beforeEach(async () => {
    app = await createTestApp(server);
    first = migration(
      '001-fact',
      `CREATE TABLE fact (id integer GENERATED ALWAYS AS IDENTITY, made_by text NOT NULL);
       GRANT SELECT, INSERT ON fact TO ${app.schema};
       INSERT INTO fact (made_by) VALUES ('migration')`,
    );
  });
  afterAll(() => server.close());

  const apply = (...migrations: Migration[]): Promise<string[]> =>
    applyMigrations(app.migrationUrl, app.schema, migrations);

  const withDatabase = async <T>(use: (db: Database) => Promise<T>): Promise<T> => {
    const db = new Database(app);
    try {
      return await use(db);
    } finally {
      await db.close();
    }
  };

  const require = (...migrations: Migration[]): Promise<void> =>
    withDatabase((db) => assertMigrations(db, app.schema, migrations));

  const columns = async (table: string): Promise<unknown[]> => {
    const sql =
      'SELECT column_name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2';
    const rows = await server.query<{ column_name: string }>(sql, [app.schema, table]);
    return rows.map(({ column_name: name }) => name).sort();
  };

  it('are applied once each, in order, though several replicas start at once', async () => {
    const applied = await Promise.all(Array.from({ length: 4 }, () => apply(first, second)));
    expect(applied.filter((ids) => ids.length > 0)).toEqual([['001-fact', '002-note']]);
    expect(await withDatabase((db) => db.query('SELECT id, made_by, note FROM fact'))).toEqual([
      { id: 1, made_by: 'migration', note: null },
    ]);
  });

  it('leave no trace of a failing one, and none after it is applied', async () => {
    const failing = migration('002-wrong', 'CREATE TABLE other (x integer); CREATE TABLE fact (x integer)');
    const third = migration('003-third', 'CREATE TABLE third (x integer)');
    await expect(apply(first, failing, third)).rejects.toThrow('relation "fact" already exists');
    expect([await columns('fact'), await columns('other'), await columns('third')]).toEqual([
      ['id', 'made_by'],
      [],
      [],
    ]);
    expect(await apply(first, second)).toEqual(['002-note']);
  });

  it('are refused when their content differs from what was applied', async () => {
    await apply(first);
    const changed = migration(first.id, `${first.sql};`);
    for (const work of [() => apply(changed, second), () => require(changed)]) {
      const refused = work();
      await expect(refused).rejects.toThrow(ChangedMigrationError);
      await expect(refused).rejects.toThrow(
        `The migrations 001-fact of the schema ${app.schema} were applied with another content. ` +
          'Start the release that applied them, or a later one; or delete data that is not needed, such as the folder .data of "npm start".',
      );
    }
    expect(await columns('fact')).toEqual(['id', 'made_by']);
  });

  it('must not be behind a release, and may be ahead of it', async () => {
    const sentence = (pending: string) =>
      `The database schema ${app.schema} lacks the migrations ${pending}. ` +
      `Run "node apps/${app.schema}/dist/src/migrate.js" with the DATABASE_MIGRATION_URL of the role ${app.schema}_migration, then start again.`;
    const opening = openDatabase({ ...app, migrations: [first, second] });
    await expect(opening).rejects.toThrow(PendingMigrationsError);
    // A restart finds them once they are applied.
    await expect(opening).rejects.toMatchObject({ startFault: 'unavailable' });
    await expect(opening).rejects.toThrow(sentence('001-fact, 002-note'));
    await apply(first);
    await expect(require(first, second)).rejects.toThrow(sentence('002-note'));
    await require(first);
    await apply(first, second);
    await require(first);
    expect(await apply(first)).toEqual([]);
  });

  it('are not applied without a server', async () => {
    await server.shutDown();
    await expect(apply(first)).rejects.toThrow(DatabaseUnavailableError);
    await server.start();
  });

  it('are not applied without a schema', async () => {
    await server.query(`DROP SCHEMA ${app.schema} CASCADE`);
    await expect(apply(first)).rejects.toThrow(MissingSchemaError);
    await expect(require(first)).rejects.toThrow(PendingMigrationsError);
  });

  it('wait for another process that migrates, for a limited time', async () => {
    await withDatabase((db) =>
      db.transaction(async (session) => {
        await session.query('SELECT pg_advisory_xact_lock(7305118)');
        const blocked = applyMigrations(app.migrationUrl, app.schema, [first], 50);
        await expect(blocked).rejects.toThrow(MigrationRunningError);
      }),
    );
    expect(await apply(first)).toEqual(['001-fact']);
  });

  it('are repeated after a deadlock with a transaction of the previous release', async () => {
    const indexed = migration('002-index', 'CREATE INDEX fact_old ON fact (made_by)');
    await apply(first, indexed);
    // Waits after its first lock until the transaction waits for it.
    const replaced = migration(
      '003-other-index',
      `SET LOCAL lock_timeout = '60s';
       CREATE INDEX fact_new ON fact (made_by, id);
       SELECT pg_advisory_xact_lock(1);
       DROP INDEX fact_old`,
    );
    await withDatabase(async (db) => {
      let migrating: Promise<string[]> | undefined;
      await db.transaction(async (session) => {
        await session.query('SELECT id FROM fact');
        let inserting: Promise<unknown> | undefined;
        await db.transaction(async (gate) => {
          await gate.query('SELECT pg_advisory_xact_lock(1)');
          migrating = apply(first, indexed, replaced);
          await waitUntilBlocked(`${app.schema}_migration`);
          inserting = session.query(`INSERT INTO fact (made_by) VALUES ('previous release')`);
          await waitUntilBlocked(app.schema);
        });
        await inserting;
      });
      expect(await migrating).toEqual(['003-other-index']);
    });
  });

  const waitUntilBlocked = (role: string): Promise<unknown> =>
    waitFor(`${role} to wait for a lock`, async () => {
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND wait_event_type = 'Lock'`;
      return (await server.query(waiting, [role])).length > 0;
    });

  it('are applied while the previous release runs, and wait for its transactions without stopping it', async () => {
    await apply(first);
    await withDatabase(async (db) => {
      let statements = 0;
      let isStopped = false;
      const runPreviousRelease = async (): Promise<void> => {
        while (!isStopped) {
          await db.query(`INSERT INTO fact (made_by) VALUES ('previous release')`);
          await db.query('SELECT id, made_by FROM fact ORDER BY id DESC LIMIT 1');
          statements += 1;
          await pause(STATEMENT_PAUSE_MS);
        }
      };
      // The first of them may have begun earlier, the others have not.
      const moreStatements = async (): Promise<void> => {
        const before = statements;
        await waitFor('statements of the app', () => statements > before + 5);
      };
      let holdsLock = false;
      let endTransaction = (): void => undefined;
      const mayEnd = new Promise<void>((resolve) => (endTransaction = resolve));
      const transaction = db.transaction(async (session) => {
        await session.query('SELECT id FROM fact');
        holdsLock = true;
        await mayEnd;
        await session.query(`INSERT INTO fact (made_by) VALUES ('long transaction')`);
      });
      const running = runPreviousRelease();
      try {
        await waitFor('the lock', () => holdsLock);
        const migrating = apply(first, second);
        await waitUntilBlocked(`${app.schema}_migration`);
        await moreStatements();
        expect(await columns('fact')).toEqual(['id', 'made_by']);
        endTransaction();
        expect(await migrating).toEqual(['002-note']);
        await moreStatements();
      } finally {
        isStopped = true;
        endTransaction();
        await Promise.all([running, transaction]);
      }
      expect(await columns('fact')).toEqual(['id', 'made_by', 'note']);
      const counts = `SELECT made_by, count(*) FROM fact GROUP BY made_by ORDER BY made_by`;
      expect(await db.query(counts)).toEqual([
        { made_by: 'long transaction', count: 1 },
        { made_by: 'migration', count: 1 },
        { made_by: 'previous release', count: statements },
      ]);
    });
  });
});
