import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { runMigrateCommand } from './migrate-command.js';
import { openDatabase, readMigrations } from './migrations.js';
import { withUser } from '../test/test-app.js';

describe('the migrate command', () => {
  let server: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    server = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'migrate-command-'));
    writeFileSync(
      join(folder, '001-fact.sql'),
      'CREATE TABLE fact (id text); GRANT SELECT ON fact TO migrated;\n',
    );
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await server.close();
  });

  const migrate = async (args: readonly string[], url?: string, name = 'DATABASE_MIGRATION_URL') => {
    let [output, errors] = ['', ''];
    const outputs = {
      output: { write: (text: string) => (output += text) },
      errors: { write: (text: string) => (errors += text) },
    };
    const migrations = readMigrations(pathToFileURL(folder));
    const status = await runMigrateCommand('migrated', migrations, outputs, [...args], { [name]: url });
    return { status, output, errors };
  };

  it('prints SQL that prepares a database, and then applies the migrations once', async () => {
    const [row] = await server.query<{ name: string }>('SELECT current_database() AS name');
    const setup = await migrate(['--setup-sql', row?.name ?? '']);
    expect(setup).toMatchObject({ status: 0, errors: '' });
    await server.query(setup.output);
    for (const role of ['migrated', 'migrated_migration'])
      await server.query(`ALTER ROLE ${role} PASSWORD 'set by an administrator'`);

    const migrationUrl = withUser(server.adminUrl, 'migrated_migration', 'set by an administrator');
    expect(await migrate([], migrationUrl)).toEqual({ status: 0, output: 'applied 001-fact\n', errors: '' });
    expect(await migrate([], migrationUrl, 'DATABASE_URL')).toEqual({
      status: 0,
      output: 'up to date\n',
      errors: '',
    });

    const url = withUser(server.adminUrl, 'migrated', 'set by an administrator');
    const migrations = readMigrations(pathToFileURL(folder));
    const db = await openDatabase({ url, schema: 'migrated', migrations });
    expect(await db.query('SELECT id FROM fact')).toEqual([]);
    await db.close();
  });

  it('exits with 1 when it fails, without the password', async () => {
    const { status, errors } = await migrate(
      ['--timeout', '0'],
      'postgres://migrated_migration:hidden@127.0.0.1:1/none',
    );
    expect(status).toBe(1);
    expect(errors).toBe('The database cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n');
  });

  it('waits for a database that is not there at the first attempt', async () => {
    let connections = 0;
    const url = new URL(withUser(server.adminUrl, 'migrated_migration', 'set by an administrator'));
    const database = { port: Number(url.port), host: url.hostname };
    const starting = createServer((socket) => {
      connections += 1;
      if (connections === 1) socket.destroy();
      else socket.pipe(connect(database)).pipe(socket);
    });
    await once(starting.listen(0, '127.0.0.1'), 'listening');
    url.port = String((starting.address() as AddressInfo).port);
    const ended = await migrate([], url.href);
    starting.close();
    expect(ended).toEqual({
      status: 0,
      output: 'up to date\n',
      errors: expect.stringMatching(/^The database cannot be used: .+ It is tried again\.\n$/),
    });
  });

  it.each([
    { args: ['--wrong'], reason: "Unknown option '--wrong'" },
    { args: [], reason: 'Neither DATABASE_MIGRATION_URL nor DATABASE_URL is set.' },
    { args: ['--timeout', 'soon'], reason: '--timeout takes a whole number of seconds from 0 to 3600.' },
  ])('exits with 2 for wrong usage: $reason', async ({ args, reason }) => {
    const { status, errors } = await migrate(args);
    expect(status).toBe(2);
    expect(errors).toContain(reason);
    expect(errors).toContain('node apps/migrated/dist/src/migrate.js --setup-sql <database>');
  });

  it('prints its usage', async () => {
    const { status, output } = await migrate(['--help']);
    expect(status).toBe(0);
    expect(output).toContain('--setup-sql');
  });
});
