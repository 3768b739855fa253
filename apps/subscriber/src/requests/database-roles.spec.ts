import { Database, withRole } from '@ssb/postgres';
import { waitFor } from '@ssb/testing';
import { openSubscriberDatabase, type SubscriberDatabase } from '../../test/support/subscriber-database.js';
import { API_ROLE, migrations, SCHEMA } from '@ssb/postgres/archive-schema';

let storage: SubscriberDatabase;
let requester: Database;

beforeAll(async () => {
  storage = await openSubscriberDatabase();
  requester = new Database({
    url: withRole(storage.url, API_ROLE, 'api'),
    schema: SCHEMA,
    connections: 1,
  });
});
afterAll(async () => {
  await requester.close();
  await storage.close();
});

const addRequest = async (): Promise<number> => {
  const [row] = await requester.query<{ request_id: number }>(
    `INSERT INTO request (kind, parameters, author, comment) VALUES ('test', '{"sink": "a"}', 'jane', 'why') RETURNING request_id`,
  );
  return row?.request_id ?? NaN;
};

const refusalOf = (database: Database, sql: string): Promise<unknown> =>
  database.query(sql).then(
    () => `not refused: ${sql}`,
    ({ code }: { code: unknown }) => code,
  );

const INSUFFICIENT_PRIVILEGE = '42501';

async function expectRefused(database: Database, statements: readonly string[]): Promise<void> {
  for (const sql of statements)
    expect([sql, await refusalOf(database, sql)]).toEqual([sql, INSUFFICIENT_PRIVILEGE]);
}

it('nothing logs in with the role requests, and its members have no rights by it', async () => {
  const [row] = await storage.server.query(
    `SELECT rolcanlogin AS login, rolpassword AS password, has_schema_privilege(oid, '${SCHEMA}', 'USAGE') AS usage,
            (SELECT count(*)::integer FROM information_schema.column_privileges WHERE grantee = 'requests') AS columns
     FROM pg_authid WHERE rolname = 'requests'`,
  );
  expect(row).toEqual({ login: false, password: null, usage: false, columns: 0 });
});

it('migration 002 says what to do without the role requests', async () => {
  const [check = ''] =
    migrations.find(({ id }) => id.startsWith('002'))?.sql.match(/DO \$\$[^]*?END \$\$;/) ?? [];
  const admin = new Database({ url: storage.server.adminUrl, schema: SCHEMA });
  const applied = admin.transaction(async (session) => {
    await session.query('ALTER ROLE requests RENAME TO former');
    await session.query(check);
  });
  await expect(applied).rejects.toThrow(
    'The role requests is missing. Create it as docs/operate/databases.md describes, then apply the migrations again.',
  );
  await admin.close();
});

describe('the role api', () => {
  it('adds a request under its own name, which notifies the subscriber', async () => {
    let notified = 0;
    const stop = await storage.database.listen('requests', {
      received: () => (notified += 1),
      lost: () => undefined,
      regained: () => undefined,
    });
    const id = await addRequest();
    await waitFor('the notification', () => notified === 1);
    await stop();
    expect(
      await requester.query(
        'SELECT step, kind, parameters, author, comment, database_role FROM audit WHERE request_id = $1',
        [id],
      ),
    ).toEqual([
      {
        step: 'requested',
        kind: 'test',
        parameters: { sink: 'a' },
        author: 'jane',
        comment: 'why',
        database_role: 'api',
      },
    ]);
  });

  it('reads what is listed', async () => {
    for (const table of [
      'problem',
      'problem_change',
      'delivery',
      'delivery_subject',
      'attempt',
      'sink_state',
      'request',
      'audit',
      'silence',
      'silenced_problem',
      'trusted_key',
      'revoked_key',
    ])
      await requester.query(`SELECT * FROM ${table}`);
    await requester.query('SELECT event, signature FROM archive');
  });

  it('can do nothing else', async () => {
    await addRequest();
    await expectRefused(requester, [
      `INSERT INTO request (kind, author, database_role) VALUES ('test', 'a', 'postgres')`,
      `INSERT INTO request (kind, author, requested_at) VALUES ('test', 'a', now())`,
      `INSERT INTO request (kind, author, finished_at, outcome) VALUES ('test', 'a', now(), 'done')`,
      `UPDATE request SET author = 'b'`,
      `UPDATE request SET comment = 'b'`,
      `UPDATE request SET finished_at = now(), outcome = 'done'`,
      'DELETE FROM request',
      'TRUNCATE request',
      `INSERT INTO audit (request_id, kind, step, parameters, author, database_role) VALUES (1, 'test', 'done', '{}', 'a', 'b')`,
      `UPDATE audit SET author = 'b'`,
      'DELETE FROM audit',
      'TRUNCATE audit',
      'UPDATE console_session SET expires_at = now()',
      'UPDATE console_key SET key = key',
      'DELETE FROM console_key',
      ...[
        'archive',
        'problem',
        'problem_change',
        'delivery',
        'delivery_subject',
        'attempt',
        'sink_state',
        'replica',
      ].flatMap((table) => [`INSERT INTO ${table} DEFAULT VALUES`, `DELETE FROM ${table}`]),
      `UPDATE problem SET state = 'closed'`,
      'UPDATE delivery SET skipped = true',
      'UPDATE sink_state SET disabled_at = now()',
      'UPDATE replica SET expires_at = now()',
      ...['inbox', 'catch_up_consumer', 'subject_sequence', 'report_allowance'].map(
        (table) => `SELECT * FROM ${table}`,
      ),
      'SELECT delete_old_heartbeats(1)',
      'SELECT advance_identities()',
      'CREATE TABLE more (x integer)',
      'CREATE TEMP TABLE more (x integer)',
      'SET ROLE subscriber',
    ]);
  });
});

describe('the run role', () => {
  it('ends a request, and changes nothing else of it or of the audit table', async () => {
    const id = await addRequest();
    await expectRefused(storage.database, [
      `INSERT INTO request (kind, author) VALUES ('test', 'a')`,
      `UPDATE request SET author = 'b'`,
      `UPDATE request SET database_role = 'b'`,
      `UPDATE request SET parameters = '{}'`,
      `UPDATE request SET kind = 'close'`,
      'DELETE FROM request',
      `INSERT INTO audit (request_id, kind, step, parameters, author, database_role) VALUES (1, 'test', 'done', '{}', 'a', 'b')`,
      `UPDATE audit SET author = 'b'`,
      'DELETE FROM audit',
      'TRUNCATE audit',
      'SELECT FROM console_session',
      'SELECT FROM console_key',
    ]);
    const end = (outcome: string): string =>
      `UPDATE request SET finished_at = now(), outcome = '${outcome}', result = '{"deliveries": 1}' WHERE request_id = ${id}`;
    await storage.database.query(end('done'));
    expect(await refusalOf(storage.database, end('failed'))).toBe('55000');
    expect(await refusalOf(storage.database, `UPDATE request SET finished_at = NULL, outcome = NULL`)).toBe(
      '55000',
    );
    expect(
      await storage.database.query(
        'SELECT step, author, database_role, result FROM audit WHERE request_id = $1 ORDER BY audit_id',
        [id],
      ),
    ).toEqual([
      { step: 'requested', author: 'jane', database_role: 'api', result: null },
      { step: 'done', author: 'jane', database_role: 'api', result: { deliveries: 1 } },
    ]);
  });

  it('gets no more than a thousand open requests', async () => {
    await storage.clear();
    const add = (count: number): string =>
      `INSERT INTO request (kind, author) SELECT 'test', 'jane' FROM generate_series(1, ${count})`;
    await requester.query(add(1_000));
    expect(await refusalOf(requester, add(1))).toBe('53400');
    await storage.clear();
  });
});
