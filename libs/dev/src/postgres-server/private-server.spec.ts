import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, lstatSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresVersionError, PrivatePostgresError } from './errors.js';
import type { PrivatePostgres } from './private-server.js';
import { query, ServerFolder, type StartedServer } from '../../test/server-folder.js';

const SEARCH_PATH = process.env['PATH'] ?? '';

describe('on a new folder, startPrivatePostgres', () => {
  let folder: ServerFolder;

  beforeEach(() => {
    folder = new ServerFolder(SEARCH_PATH);
  });
  afterEach(() => folder.remove());

  it('gives all starters the same server, on a folder whose first starter was killed and on a stopped one', async () => {
    const starter = folder.spawnStarter();
    const hasBegun = (): boolean =>
      existsSync(folder.path) && readdirSync(folder.path).some((name) => /^initialising-|^data$/.test(name));
    await eventually(hasBegun);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    await expectOneServer(folder.startInProcess(), folder.start(), folder.start());
    // The files of the killed starter are removed.
    expect(readdirSync(folder.path).sort()).toEqual(['data', 'server.log', 'superuser.password']);
    await folder.stop();
    await expectOneServer(folder.start(), folder.start());
  });

  it('refuses the data of another major version, and data whose password file is missing', async () => {
    mkdirSync(join(folder.path, 'data'), { recursive: true });
    const starting = folder.start();
    await expect(starting).rejects.toThrow(PrivatePostgresError);
    await expect(starting).rejects.toThrow(/superuser\.password back, or move .* away/);
    writeFileSync(join(folder.path, 'data/PG_VERSION'), '12\n');
    await expect(folder.start()).rejects.toThrow(PostgresVersionError);
  });
});

describe('on an initialised folder', () => {
  let folder: ServerFolder;

  beforeAll(async () => {
    folder = new ServerFolder(SEARCH_PATH);
    await folder.start();
  });
  afterAll(() => folder.remove());

  const lockFile = (): string => join(folder.path, 'data/postmaster.pid');

  it('ignores the variables of PostgreSQL in the shell, and gives the server no secret of its starter', async () => {
    await folder.stop();
    Object.assign(process.env, {
      PGSSLMODE: 'require',
      PGSSLNEGOTIATION: 'direct',
      PGPORT: '1',
      PGDATESTYLE: 'unknown',
      PGCLIENTENCODING: 'unknown',
      PGAPPNAME: 'shell',
      WEBHOOK_SECRET: 'secret',
    });
    const { adminUrl, pid } = await folder.start();
    delete process.env['WEBHOOK_SECRET'];
    expect(await query(adminUrl, "SELECT current_setting('application_name')")).toEqual(['']);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('WEBHOOK_SECRET');
  });

  it('takes over the server of a killed starter', async () => {
    await folder.stop();
    const starter = folder.spawnStarter();
    const [printed] = (await once(starter.stdout, 'data')) as [Buffer];
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    const server = await folder.start();
    expect(JSON.parse(printed.toString())).toMatchObject({ pid: server.pid, adminUrl: server.adminUrl });
  });

  it('finds the committed data after kill -9, on the same port', async () => {
    await folder.stop();
    const server = await folder.start({ durable: true });
    await query(server.adminUrl, 'CREATE TABLE kept AS SELECT 1 AS id');
    const { port } = server;
    await server.kill();
    await server.start();
    expect(await query(server.adminUrl, 'SELECT id FROM kept')).toEqual([1]);
    expect(server.port).toBe(port);
  });

  it('replaces a lock file whose process has ended, is a zombie or another program', async () => {
    const { adminUrl } = await folder.start();
    const left = readFileSync(lockFile(), 'utf8');
    await query(adminUrl, 'CREATE TABLE locked AS SELECT 1 AS id');
    // `sleep` takes the place of the shell and does not wait for its child.
    const other = spawn('sh', ['-c', `sh -c 'echo $$' & exec sleep 3600`]);
    try {
      const [zombie] = (await once(other.stdout, 'data')) as [Buffer];
      for (const pid of [spawnSync('true').pid, other.pid, Number(zombie)]) {
        await folder.stop();
        writeFileSync(lockFile(), left.replace(/^\d+/, String(pid)));
        const server = await folder.start();
        expect(await query(server.adminUrl, 'SELECT id FROM locked')).toEqual([1]);
        expect(readFileSync(lockFile(), 'utf8')).toMatch(new RegExp(`^${server.pid}\n`));
      }
    } finally {
      other.kill('SIGKILL');
    }
  });

  describe('a running server', () => {
    let server: PrivatePostgres;

    beforeAll(async () => {
      server = await folder.start();
    });

    const withPassword = (password: string): string => {
      const url = new URL(server.adminUrl);
      url.password = password;
      return url.href;
    };

    it('requires the password', async () => {
      await expect(query(withPassword('wrong'), 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
      await expect(query(withPassword(''), 'SELECT 1')).rejects.toThrow('password must be');
      expect(new URL(server.adminUrl).password).toMatch(/^[\w-]{32}$/);
    });

    it('listens only on 127.0.0.1', async () => {
      const addresses = Object.values(networkInterfaces())
        .flatMap((each) => each ?? [])
        // A link-local address needs a zone.
        .filter(({ address, scopeid = 0 }) => address !== '127.0.0.1' && scopeid === 0)
        .map(({ address }) => address);
      for (const address of ['127.0.0.2', ...addresses]) {
        expect({ address, accepts: await accepts(address, server.port) }).toEqual({
          address,
          accepts: false,
        });
      }
      expect(await accepts('127.0.0.1', server.port)).toBe(true);
      expect(await query(server.adminUrl, 'SHOW unix_socket_directories')).toEqual(['']);
    });

    it('keeps its files from other users', async () => {
      await query(server.adminUrl, 'CREATE TABLE fact AS SELECT 1 AS id');
      const open = ['.', ...readdirSync(folder.path, { recursive: true, encoding: 'utf8' })].filter(
        (name) => (modeOf(join(folder.path, name)) & 0o077) !== 0,
      );
      expect(open).toEqual([]);
    });

    it('writes no statement and no value to its log', async () => {
      await query(server.adminUrl, 'CREATE TABLE account (id integer PRIMARY KEY, name text UNIQUE)');
      const insert = `INSERT INTO account VALUES (1, 'secret-name')`;
      await query(server.adminUrl, insert);
      for (const wrong of [
        insert,
        `INSERT INTO account (id) VALUES ('secret-id')`,
        `INSERT INTO "secret-table" VALUES (1)`,
        `DO $$ BEGIN RAISE WARNING 'secret-warning'; END $$; SELECT 1 / 0`,
      ]) {
        await expect(query(server.adminUrl, wrong)).rejects.toThrow();
      }
      // A process that crashes is logged, without the statement that it ran.
      const crash = query(server.adminUrl, `SELECT 'secret-crash', pg_sleep(600)`);
      const failed = expect(crash).rejects.toThrow();
      const pidOfCrash = `SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT ''secret-crash%'`;
      let pid: unknown;
      await eventually(async () => {
        [pid] = await query(server.adminUrl, pidOfCrash);
        return typeof pid === 'number';
      });
      process.kill(Number(pid), 'SIGKILL');
      await failed;
      const log = (): string => readFileSync(join(folder.path, 'server.log'), 'utf8');
      await eventually(() => log().includes('was terminated by signal 9'));
      expect(log()).not.toMatch(/secret|account/);
      const isReady = () =>
        query(server.adminUrl, 'SELECT 1').then(
          () => true,
          () => false,
        );
      await eventually(isReady);
    });
  });

  it('reports the output of a server that fails to start', async () => {
    await folder.stop();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    try {
      const starting = folder.start({ port: (taken.address() as AddressInfo).port });
      await expect(starting).rejects.toThrow(PrivatePostgresError);
      await expect(starting).rejects.toThrow('Address already in use');
    } finally {
      taken.close();
    }
    rmSync(join(folder.path, 'data/global/pg_control'));
    await expect(folder.start()).rejects.toThrow(/PostgreSQL exited .*\n[^]*pg_control/);
  });
});

async function expectOneServer(...starts: readonly Promise<StartedServer>[]): Promise<void> {
  const servers = await Promise.all(starts);
  const [first] = servers.map(({ pid, port, adminUrl }) => ({ pid, port, adminUrl }));
  for (const server of servers) expect(server).toMatchObject(first ?? {});
  expect(await query(first?.adminUrl ?? '', 'SELECT 1')).toEqual([1]);
}

/** Gives up after a minute, so that a failed test leaves nothing running. */
async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(5))
    if (await condition()) return;
  throw new Error('the condition did not come true within a minute');
}

function modeOf(file: string): number {
  // The server removes files meanwhile.
  return lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0;
}

/** Whether a connection is accepted; false when it is refused or times out. */
async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: 5_000 });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('timeout', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
