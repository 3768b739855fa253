import { Database, openDatabase, withRole } from '@ssb/postgres';
import { migrations, SCHEMA } from '@ssb/postgres/archive-schema';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { runCommand } from './support/run-command.js';

/** Those of the other test files, which share the roles of a server. */
const PASSWORDS: Readonly<Record<string, string>> = { [SCHEMA]: 'run', [`${SCHEMA}_migration`]: 'migration' };

let server: TestDatabase;
beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server.close());

const migrate = (url: string, ...args: string[]) =>
  runCommand(['migrate', ...args], { DATABASE_MIGRATION_URL: url });
const KEPT = 'archived events are kept: ARCHIVE_RETENTION_DAYS is unset\n';
const withPassword = (role: string): string => withRole(server.adminUrl, role, PASSWORDS[role]!);

it('prints SQL that prepares a database, and applies the migrations once, with the right role', async () => {
  const [row] = await server.query<{ name: string }>('SELECT current_database() AS name');
  const missing = await migrate(server.adminUrl);
  expect(missing).toMatchObject({
    status: 78,
    stderr: expect.stringContaining('"busbridge migrate --setup-sql'),
  });
  const setup = await runCommand(['migrate', '--setup-sql', row?.name ?? '']);
  expect(setup).toMatchObject({ status: 0, stderr: '' });
  await server.query(setup.stdout);
  for (const [role, password] of Object.entries(PASSWORDS))
    await server.query(`ALTER ROLE ${role} PASSWORD '${password}'`);

  const refused = await migrate(withPassword(SCHEMA));
  expect(refused).toMatchObject({
    status: 77,
    stdout: '',
    stderr: expect.stringContaining(`Use the role ${SCHEMA}_migration.`),
  });
  const opened = openDatabase({ url: withPassword(SCHEMA), schema: SCHEMA, migrations });
  await expect(opened).rejects.toThrow(
    'Run "busbridge migrate" with the DATABASE_MIGRATION_URL of the role subscriber_migration',
  );
  const url = withPassword(`${SCHEMA}_migration`);
  expect(await migrate(url)).toEqual({
    status: 0,
    stdout: `${migrations.map(({ id }) => `applied ${id}\n`).join('')}${KEPT}`,
    stderr: '',
  });
  const withDays = (ARCHIVE_RETENTION_DAYS: string) =>
    runCommand(['migrate'], { DATABASE_MIGRATION_URL: url, ARCHIVE_RETENTION_DAYS });
  expect((await withDays('400')).stdout).toBe('up to date\narchived events are deleted after 400 days\n');
  const subscriber = new Database({ url: withPassword(SCHEMA), schema: SCHEMA, connections: 1 });
  const readDays = () => subscriber.query('SELECT days FROM archive_retention');
  expect(await readDays()).toEqual([{ days: 400 }]);
  expect(await withDays('34')).toMatchObject({
    status: 78,
    stderr: expect.stringContaining('from 35 to 36500'),
  });
  expect(await migrate(url)).toEqual({ status: 0, stdout: `up to date\n${KEPT}`, stderr: '' });
  expect(await readDays()).toEqual([]);
  await subscriber.close();
});

it.each([
  {
    what: 'a server that cannot be reached',
    url: 'postgres://subscriber_migration:hidden@127.0.0.1:1/none',
    expected: { status: 69, stderr: 'The database cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n' },
  },
  {
    what: 'no address',
    url: '',
    expected: { status: 78, stderr: 'Neither DATABASE_MIGRATION_URL nor DATABASE_URL is set.\n' },
  },
  {
    what: 'a wrong address',
    url: 'hidden',
    expected: { status: 78, stderr: expect.stringMatching(/^DATABASE_MIGRATION_URL (?!.*hidden)/) },
  },
])('ends with a sentence for $what', async ({ url, expected }) => {
  expect(await migrate(url, '--timeout', '0')).toMatchObject(expected);
});

it('refuses a wrong time-out', async () => {
  const { status, stderr } = await migrate('', '--timeout', 'soon');
  expect([status, stderr]).toEqual([2, expect.stringContaining('seconds from 0 to 3600')]);
});
