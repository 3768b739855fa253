import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { startTestRedis } from '@ssb/redis';
import { REPOSITORY } from '@ssb/tools';
import { waitFor } from './harness/wait-for.js';

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
}

let data: string;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-start-'));
});

afterAll(() => rmSync(data, { recursive: true, force: true }));

function start(environment: Readonly<Record<string, string>> = {}): Started {
  const command = [
    join(REPOSITORY, 'tools/dist/start.js'),
    '--data',
    data,
    '--free-ports',
    '--scenario',
    'demo',
  ];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output };
}

async function shows({ output }: Started, text: string | RegExp, timeoutMs: number): Promise<void> {
  await waitFor(
    () => (typeof text === 'string' ? output().includes(text) : text.test(output())),
    timeoutMs,
    output,
  );
}

async function interrupt({ child }: Started): Promise<number | null> {
  const ended = once(child, 'close') as Promise<[number | null]>;
  child.kill('SIGINT');
  return (await ended)[0];
}

/** Command lines of all processes that mention the data folder, in their arguments or their environment. */
function leftovers(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some((file) => read(file).includes(data)),
    )
    .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process ended between listing and reading.
    return '';
  }
}

describe('npm start', () => {
  it('prints where each service listens and a line for each event, and Ctrl-C leaves nothing behind', async () => {
    const started = start();
    await shows(started, 'Ctrl-C stops everything', 90_000);
    expect(started.output()).toMatch(/subscriber +http:\/\/127\.0\.0\.1:\d+/);
    await shows(started, /!! .*margin\.breached +WPGENCO\/prudential/, 40_000);
    await shows(started, /margin\.restored/, 20_000);
    expect(started.output()).toMatch(/ {3}\d\d:\d\d:\d\d\.\d{3} {2}statement\.published/);
    expect(leftovers().length).toBeGreaterThan(0);
    expect(await interrupt(started)).toBe(0);
    expect(leftovers()).toEqual([]);
  }, 180_000);

  it('goes on with the same data: nothing is announced a second time', async () => {
    const started = start();
    await shows(started, 'Ctrl-C stops everything', 90_000);
    // The demo scenario publishes the same statements again, which are the same facts; its margins are new calculations.
    await shows(started, /margin\.restored/, 40_000);
    expect(started.output()).not.toContain('statement.published');
    expect(await interrupt(started)).toBe(0);
    expect(leftovers()).toEqual([]);
  }, 180_000);

  it('leaves nothing behind when it is killed outright', async () => {
    const started = start();
    await shows(started, 'Ctrl-C stops everything', 90_000);
    started.child.kill('SIGKILL');
    await once(started.child, 'close');
    await waitFor(
      () => leftovers().filter((command) => !command.includes('redis')).length === 0,
      20_000,
      () => leftovers().join('\n'),
    );
    // The private Redis outlives its starter, so that nothing is lost; the next start takes it over.
    const next = start();
    await shows(next, 'Ctrl-C stops everything', 90_000);
    expect(await interrupt(next)).toBe(0);
    expect(leftovers()).toEqual([]);
  }, 240_000);

  it('warns of a Redis that could lose jobs, and refuses it in production', async () => {
    const redis = await startTestRedis();
    const client = new Redis(redis.url);
    try {
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const refused = start({ REDIS_URL: redis.url, NODE_ENV: 'production' });
      const [status] = (await once(refused.child, 'close')) as [number];
      expect(status).toBe(1);
      expect(refused.output()).toContain('maxmemory-policy is allkeys-lru');
      expect(refused.output()).toContain('refused in production');
      const warned = start({ REDIS_URL: redis.url });
      await shows(warned, /WARNING: .*maxmemory-policy is allkeys-lru/, 30_000);
      expect(await interrupt(warned)).toBe(0);
    } finally {
      client.disconnect();
      await redis.stop();
    }
  }, 120_000);
});
