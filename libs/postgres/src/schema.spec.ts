import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { Database } from './database.js';
import { InvalidDatabaseNameError } from './errors.js';
import { createDatabase, createSchema, RoleInUseError, schemaSql } from './schema.js';
import { createTestApp, migration, PASSWORDS, withUser, type TestApp } from '../test/test-app.js';

let server: TestDatabase;
const open: Database[] = [];

const openAs = (url: string, schema: string): Database => {
  const opened = new Database({ url, schema });
  open.push(opened);
  return opened;
};

/** The table `fact`, which the app may only read and insert into. */
const factTable = (schema: string) => [
  migration(
    '001-fact',
    `CREATE TABLE fact (id integer GENERATED ALWAYS AS IDENTITY, name text); GRANT SELECT, INSERT ON fact TO ${schema}`,
  ),
];

beforeAll(async () => {
  server = await createTestDatabase();
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
afterAll(() => server.close());

describe('the run role', () => {
  let app: TestApp;
  let other: TestApp;

  beforeAll(async () => {
    app = await createTestApp(server, factTable);
    other = await createTestApp(server, factTable);
  });

  it('may do what the migrations grant', async () => {
    const db = openAs(app.url, app.schema);
    await db.query(`INSERT INTO fact (name) VALUES ('a')`);
    expect(await db.query('SELECT id, name FROM fact')).toEqual([{ id: 1, name: 'a' }]);
  });

  it('may do nothing else', async () => {
    const statements = [
      `UPDATE fact SET name = 'b'`,
      'DELETE FROM fact',
      'TRUNCATE fact',
      'ALTER TABLE fact ADD COLUMN more text',
      'DROP TABLE fact',
      'CREATE TABLE more (x integer)',
      'CREATE TABLE public.more (x integer)',
      'CREATE TEMP TABLE more (x integer)',
      'CREATE SCHEMA more',
      'CREATE DATABASE more',
      'CREATE ROLE more',
      `INSERT INTO migration (id, checksum) VALUES ('a', 'b')`,
      `SELECT id FROM ${other.schema}.fact`,
      `INSERT INTO ${other.schema}.fact (name) VALUES (NULL)`,
      `SELECT id FROM ${other.schema}.migration`,
      `SET ROLE ${other.schema}`,
      `SET ROLE ${app.schema}_migration`,
    ];
    const db = openAs(app.url, app.schema);
    const codes = statements.map((sql) => db.query(sql).catch(({ code }: { code?: string }) => code));
    expect(await Promise.all(codes)).toEqual(statements.map(() => '42501'));
  });
});

describe('createSchema', () => {
  it('may be repeated, also concurrently, keeps the data and sets the passwords', async () => {
    const { schema, url } = await createTestApp(server, factTable);
    await openAs(url, schema).query(`INSERT INTO fact (name) VALUES ('a')`);
    const passwords = { run: `n/e:w@ #?%41'"\\$&`, migration: 'also new' };
    const again = () => createSchema(server.adminUrl, { schema, migrations: factTable(schema), passwords });
    const [newUrl] = await Promise.all([again(), again(), again()]);
    expect(await openAs(newUrl, schema).query('SELECT name FROM fact')).toEqual([{ name: 'a' }]);
    const wrong = [url, withUser(url, `${schema}_migration`, PASSWORDS.migration)];
    for (const each of wrong)
      await expect(openAs(each, schema).query('SELECT 1')).rejects.toThrow(/password/);
  });

  it('gives no other role access to the database', async () => {
    await createTestApp(server);
    await server.query(`CREATE ROLE unrelated_role LOGIN PASSWORD 'unrelated-role'`);
    const db = openAs(withUser(server.adminUrl, 'unrelated_role', 'unrelated-role'), 'public');
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: '42501' });
  });

  it('needs no superuser, only a role that may create databases and roles', async () => {
    await server.query(`CREATE ROLE administrator LOGIN CREATEDB CREATEROLE PASSWORD 'administrator'`);
    const anyDatabase = new URL('/postgres', server.adminUrl).href;
    const administrator = withUser(anyDatabase, 'administrator', 'administrator');
    const adminUrl = await createDatabase(administrator, 'made_by_administrator');
    const passwords = PASSWORDS;
    const url = await createSchema(adminUrl, { schema: 'owned', migrations: factTable('owned'), passwords });
    await createSchema(adminUrl, { schema: 'owned', migrations: factTable('owned'), passwords });
    expect(await openAs(url, 'owned').query('SELECT name FROM fact')).toEqual([]);
  });

  it('does not change a role of the same name that it did not create', async () => {
    await server.query(`CREATE ROLE of_another LOGIN PASSWORD 'kept'`);
    const making = createSchema(server.adminUrl, {
      schema: 'of_another',
      migrations: [],
      passwords: PASSWORDS,
    });
    await expect(making).rejects.toThrow(RoleInUseError);
    const postgres = withUser(new URL('/postgres', server.adminUrl).href, 'of_another', 'kept');
    expect(await openAs(postgres, 'public').query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('takes rights to log in only from an obsolete role that it created', async () => {
    await server.query(`CREATE ROLE obsolete LOGIN`);
    const statement = schemaSql('any', 'any', [], ['obsolete']).find((sql) => sql.includes('obsolete')) ?? '';
    await expect(server.query(statement)).rejects.toThrow(
      /roles named obsolete that belong to something else/,
    );
    await server.query(`COMMENT ON ROLE obsolete IS 'settlement-bus-bridge'`);
    await server.query(statement);
    expect(await server.query(`SELECT rolcanlogin FROM pg_roles WHERE rolname = 'obsolete'`)).toEqual([
      { rolcanlogin: false },
    ]);
  });

  it('refuses a name that needs quotes in SQL', async () => {
    const making = createSchema(server.adminUrl, { schema: 'a-b', migrations: [], passwords: PASSWORDS });
    await expect(making).rejects.toThrow(InvalidDatabaseNameError);
  });
});

describe('createDatabase', () => {
  it('may be repeated, also concurrently', async () => {
    const make = () => createDatabase(server.adminUrl, 'Made at once');
    const [url] = await Promise.all([make(), make(), make()]);
    await make();
    expect(await openAs(url, 'public').query('SELECT current_database() AS name')).toEqual([
      { name: 'Made at once' },
    ]);
  });
});
