import { Database } from '@ssb/postgres';
import { isAlive } from '@ssb/dev/postgres-server';
import { startPrivateRedis } from '@ssb/dev/redis-server';
import { waitFor } from '@ssb/testing';
import { Redis } from 'ioredis';
import { spawn } from 'node:child_process';
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
const redisPid = (file = 'server.json'): number =>
  (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly pid: number }).pid;
/** Lets neither timers nor events of processes run. */
const block = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const RUNS_AGAIN = /runs again/;

describe('a server that ends by itself', () => {
  it('Redis is started again with its data, and reported with its status before the regular check', async () => {
    const { url, server } = await obtainRedis({ folder, searchPath, supervision });
    cleanUps.push(() => server?.stop());
    const redis = connectRedis(url);
    await redis.set('kept', 'yes');
    const pid = redisPid();
    process.kill(pid, 'SIGKILL');
    // Timers that are due run before the events of processes.
    while (isAlive(pid)) block(1);
    block(CHECK_INTERVAL_MS);
    await waitFor('the restart', () => printed.some((line) => RUNS_AGAIN.test(line)));
    expect(printed).toEqual([
      'Redis ended unexpectedly (SIGKILL). It is started again in 0.001 s.',
      'Redis runs again.',
    ]);
    expect(await redis.get('kept')).toBe('yes');
    await server?.stop();
    expect(printed).toHaveLength(2);
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

/** Starts both servers, prints their URLs, and runs until it is killed. */
const STARTER = `
  const [redisModule, postgresModule, folder] = process.argv.slice(1);
  const { obtainRedis } = await import(redisModule);
  const { obtainPostgres } = await import(postgresModule);
  const common = { searchPath: process.env.PATH, supervision: { print: console.error, onGiveUp: console.error } };
  const redis = await obtainRedis({ ...common, folder: folder + '/redis' });
  const postgres = await obtainPostgres({ ...common, folder: folder + '/postgres' });
  console.log(JSON.stringify({ redisUrl: redis.url, postgresUrl: postgres.adminUrl }));
  process.stdin.resume();`;

it('Redis and PostgreSQL end after kill -9 of their starter, leave no lock, and the next start has their data', async () => {
  const lock = 'postgres/data/postmaster.pid';
  const modules = ['./redis.js', './postgres.js'].map((module) => new URL(module, import.meta.url).href);
  const args = ['--input-type=module', '--eval', STARTER, ...modules, folder];
  const starter = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' });
  cleanUps.push(() => void starter.kill('SIGKILL'));
  const [line] = (await once(createInterface(starter.stdout), 'line')) as [string];
  const { redisUrl, postgresUrl } = JSON.parse(line) as Record<'redisUrl' | 'postgresUrl', string>;
  const pids = [redisPid('redis/server.json'), readPid(lock)];
  await connectRedis(redisUrl).set('kept', 'yes');
  await query(postgresUrl, 'CREATE TABLE kept AS SELECT 1 AS id');
  starter.kill('SIGKILL');
  await waitFor('the end of the servers', () => pids.every((pid) => !isAlive(pid)));
  await waitFor('the end of the lock', () => !existsSync(join(folder, lock)));

  const common = { searchPath, supervision };
  const redis = await obtainRedis({ ...common, folder: join(folder, 'redis') });
  cleanUps.push(() => redis.server?.stop());
  expect(await connectRedis(redis.url).get('kept')).toBe('yes');
  const postgres = await obtainPostgres({ ...common, folder: join(folder, 'postgres'), durable: true });
  cleanUps.push(() => postgres.server?.stop());
  expect(await query(postgres.adminUrl, 'UPDATE kept SET id = 2 RETURNING id')).toEqual([{ id: 2 }]);

  // PostgreSQL too is started again when it ends by itself.
  process.kill(readPid(lock), 'SIGKILL');
  await waitFor('the restart', () => printed.some((line) => RUNS_AGAIN.test(line)));
  expect(printed[0]).toMatch(/^PostgreSQL ended unexpectedly \(SIGKILL\)\./);
  expect(await query(postgres.adminUrl, 'SELECT id FROM kept')).toEqual([{ id: 2 }]);
  await postgres.server?.stop();
  expect(existsSync(join(folder, lock))).toBe(false);
});
