import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** No PostgreSQL server's programs were found, or they did not do what they should. */
export class TestPostgresError extends Error {
  override readonly name = 'TestPostgresError';
}

/** A throw-away PostgreSQL server for a test file, on a free port of loopback. It keeps what it is given only while it lives. */
export interface TestPostgres {
  readonly url: string;
  readonly port: number;
  /** One statement as the server's superuser, on a connection of its own. */
  query(sql: string): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** As an operator restarts it: connections are cut, then it is up again on the same port with the same data. */
  restart(): Promise<void>;
  /** Down until `start`. */
  shutDown(): Promise<void>;
  start(): Promise<void>;
}

const UP_MS = 60_000;

export async function startTestPostgres(): Promise<TestPostgres> {
  const bin = programFolder();
  const owner = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'test-postgres-'));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const init = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...owner, cwd: folder, encoding: 'utf8' },
  );
  if (init.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new TestPostgresError(`initdb failed: ${init.stderr}`, { cause: init.error });
  }
  const port = await freePort();
  const url = `postgres://test@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-p', String(port), ...SETTINGS.flatMap((setting) => ['-c', setting])],
      { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await answers(url, server);
  };
  const shutDown = async (): Promise<void> => {
    const ended = server;
    server = undefined;
    if (ended === undefined || ended.exitCode !== null) return;
    const exit = once(ended, 'exit');
    // SIGINT is the server's "fast" end: clients are cut off, what was committed is kept.
    ended.kill('SIGINT');
    await exit;
  };
  const stop = async (): Promise<void> => {
    await shutDown();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    port,
    query: (sql) => runOnce(url, sql),
    stop,
    shutDown,
    start,
    restart: () => shutDown().then(start),
  };
}

/** Loopback only, and nothing forced to disk: a test's data need not outlive a power cut. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'full_page_writes=off',
  'max_connections=50',
  'shared_buffers=64MB',
];

const DEBIAN = '/usr/lib/postgresql';
const ELSEWHERE = ['/usr/bin', '/usr/local/bin', '/usr/local/pgsql/bin', '/usr/libexec/postgresql'];

/** Debian keeps the server's programs off the search path, a folder for each version; the newest is taken. */
function programFolder(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, 'bin'));
  const places = [...folders, ...ELSEWHERE];
  const found = places.find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined)
    throw new TestPostgresError(`No PostgreSQL server is installed: no initdb in ${places.join(', ')}.`);
  return found;
}

/** The server refuses to run as root: then it runs as `nobody`. */
function unprivileged(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  let output = '';
  server.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000)));
  const giveUpAt = Date.now() + UP_MS;
  while (server.exitCode === null && Date.now() < giveUpAt) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch {
      await pause(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new TestPostgresError(`The PostgreSQL server did not come up:\n${output}`);
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
