import { Database } from '@ssb/postgres';
import { isAlive } from '@ssb/dev/postgres-server';
import { startPrivateRedis } from '@ssb/dev/redis-server';
import { waitFor } from '@ssb/testing';
import { Redis } from 'ioredis';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { REDIS } from '../programs/required-programs.js';
import { obtainPostgres } from './postgres.js';
import { obtainRedis } from './redis.js';
import { CHECK_INTERVAL_MS, MAX_FAILURES, type Supervision } from './supervised-server.js';

const searchPath = process.env['PATH'] ?? '';
const printed: string[] = [];
const gaveUp: string[] = [];
const supervision: Supervision = {
  print: (text) => printed.push(text),
  onGiveUp: (message) => gaveUp.push(message),
  delaysMs: [1],
};
let folder: string;
const cleanUps: (() => Promise<void> | void)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervised-server-'));
  printed.length = 0;
  gaveUp.length = 0;
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

/** A client that reconnects by itself. */
function connectRedis(url: string): Redis {
  const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  cleanUps.push(() => redis.disconnect());
  return redis;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const database = new Database({ url, schema: 'public', connections: 1 });
  try {
    return await database.query(sql);
  } finally {
    await database.close();
  }
}

const readPid = (file: string): number => Number.parseInt(readFileSync(join(folder, file), 'utf8'), 10);
const redisPid = (): number =>
  (JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as { readonly pid: number }).pid;
const RUNS_AGAIN = /runs again/;

describe('a server that ends by itself', () => {
  it('Redis is started again with its data, and reported', async () => {
    const { url, server } = await obtainRedis({ folder, searchPath, supervision });
    cleanUps.push(() => server?.stop());
    const redis = connectRedis(url);
    await redis.set('kept', 'yes');
    process.kill(redisPid(), 'SIGKILL');
    await waitFor('the restart', () => printed.some((line) => RUNS_AGAIN.test(line)));
    expect(printed).toEqual([
      'Redis ended unexpectedly (SIGKILL). It is started again in 0.001 s.',
      'Redis runs again.',
    ]);
    expect(await redis.get('kept')).toBe('yes');
    await server?.stop();
    expect(printed).toHaveLength(2);
  });

  it('is reported with its status, also when the regular check comes before the event', async () => {
    const { server } = await obtainRedis({ folder, searchPath, supervision });
    cleanUps.push(() => server?.stop());
    const pid = redisPid();
    process.kill(pid, 'SIGKILL');
    // Timers that are due run before the events of processes.
    const due = Date.now() + CHECK_INTERVAL_MS;
    while (isAlive(pid) || Date.now() < due);
    await waitFor('the restart', () => printed.some((line) => RUNS_AGAIN.test(line)));
    expect(printed[0]).toContain('(SIGKILL)');
  });

  it('one that was taken over is started again too', async () => {
    const first = await startPrivateRedis({ program: REDIS.find(searchPath) ?? '', folder, ownGroup: false });
    const { url, server } = await obtainRedis({ folder, searchPath, supervision });
    cleanUps.push(() => server?.stop());
    expect(url).toBe(first.url);
    process.kill(first.pid, 'SIGKILL');
    await waitFor('the restart', () => printed.some((line) => RUNS_AGAIN.test(line)));
    expect(printed[0]).toBe(
      'Redis ended unexpectedly (exit status unknown). It is started again in 0.001 s.',
    );
    expect(redisPid()).not.toBe(first.pid);
  });

  it('PostgreSQL is started again with its data, and reported', async () => {
    const { adminUrl, server } = await obtainPostgres({ folder, searchPath, supervision, durable: true });
    cleanUps.push(() => server?.stop());
    await query(adminUrl, 'CREATE TABLE kept AS SELECT 1 AS id');
    process.kill(readPid('data/postmaster.pid'), 'SIGKILL');
    await waitFor('the restart', () => printed.some((line) => RUNS_AGAIN.test(line)));
    expect(printed[0]).toMatch(/^PostgreSQL ended unexpectedly \(SIGKILL\)\./);
    expect(await query(adminUrl, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
    await server?.stop();
    expect(existsSync(join(folder, 'data/postmaster.pid'))).toBe(false);
  });

  it('is given up after many failures in a row, with the last reason', async () => {
    const program = join(folder, 'redis-server');
    writeFileSync(program, `#!/bin/sh\nexec "$(cat '${folder}/program')" "$@"\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(folder, 'program'), REDIS.find(searchPath) ?? '');
    const { server } = await obtainRedis({ folder, searchPath: `${folder}:${searchPath}`, supervision });
    cleanUps.push(() => server?.stop());
    writeFileSync(join(folder, 'program'), '/bin/false');
    process.kill(redisPid(), 'SIGTERM');
    await waitFor('the end of the attempts', () => gaveUp.length > 0);
    // As the regular check does.
    server?.observer.onEnded(1, 'again');
    await server?.stop();
    expect(printed[0]).toBe('Redis ended unexpectedly (status 0). It is started again in 0.001 s.');
    expect(printed).toHaveLength(MAX_FAILURES);
    expect(gaveUp).toEqual([expect.stringMatching(/^Redis could not be started: .* ended with status 1:/)]);
    expect(gaveUp[0]).toContain(`ended or could not be started ${MAX_FAILURES + 1} times in a row`);
    expect(gaveUp[0]).toContain(`Its data is kept in ${folder}.`);
  });
});

describe('after kill -9 of the starter', () => {
  const MODULES = ['./redis.js', './postgres.js'].map((module) => new URL(module, import.meta.url).href);
  const STARTER = `
    const [redisModule, postgresModule, folder] = process.argv.slice(1);
    const { obtainRedis } = await import(redisModule);
    const { obtainPostgres } = await import(postgresModule);
    const common = { searchPath: process.env.PATH, supervision: { print: console.error, onGiveUp: console.error } };
    const redis = await obtainRedis({ ...common, folder: folder + '/redis' });
    const postgres = await obtainPostgres({ ...common, folder: folder + '/postgres' });
    console.log(JSON.stringify({ redisUrl: redis.url, postgresUrl: postgres.adminUrl }));
    process.stdin.on('end', async () => {
      await Promise.all([redis.server.stop(), postgres.server.stop()]);
      process.exit(0);
    }).resume();`;

  interface Started {
    readonly child: ChildProcess;
    readonly redisUrl: string;
    readonly postgresUrl: string;
    readonly pids: readonly number[];
  }

  async function start(): Promise<Started> {
    const args = ['--input-type=module', '--eval', STARTER, ...MODULES, folder];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' });
    cleanUps.push(() => void child.kill('SIGKILL'));
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { pid } = JSON.parse(readFileSync(join(folder, 'redis/server.json'), 'utf8')) as { pid: number };
    return { child, ...JSON.parse(line), pids: [pid, readPid('postgres/data/postmaster.pid')] };
  }

  it('Redis and PostgreSQL end, leave no lock, and the next start has their data', async () => {
    const first = await start();
    await connectRedis(first.redisUrl).set('kept', 'yes');
    await query(first.postgresUrl, 'CREATE TABLE kept AS SELECT 1 AS id');
    first.child.kill('SIGKILL');
    await waitFor('the end of the servers', () => first.pids.every((pid) => !isAlive(pid)));
    await waitFor('the end of the lock', () => !existsSync(join(folder, 'postgres/data/postmaster.pid')));
    const next = await start();
    expect(await connectRedis(next.redisUrl).get('kept')).toBe('yes');
    expect(await query(next.postgresUrl, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
    const exit = once(next.child, 'exit');
    next.child.stdin?.end();
    expect(await exit).toEqual([0, null]);
    expect(next.pids.filter(isAlive)).toEqual([]);
  });
});
