import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { startTestRedis } from '@ssb/redis';
import { ended, interrupt, leftovers, runTool, shows, type Command } from './harness/command.js';
import { waitFor } from './harness/wait-for.js';

let data: string;

beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-start-'));
});

afterAll(() => rmSync(data, { recursive: true, force: true }));

function start(environment: Readonly<Record<string, string>> = {}): Command {
  return runTool('start.js', ['--data', data, '--free-ports', '--scenario', 'demo'], environment);
}

describe('npm start', () => {
  it('prints where each service listens and a line for each event, and Ctrl-C leaves nothing behind', async () => {
    const started = start();
    await shows(started, 'Ctrl-C stops everything', 90_000);
    expect(started.output()).toMatch(/subscriber +http:\/\/127\.0\.0\.1:\d+/);
    await shows(started, /!! .*margin\.breached +WPGENCO\/prudential/, 40_000);
    await shows(started, /margin\.restored/, 20_000);
    expect(started.output()).toMatch(/ {3}\d\d:\d\d:\d\d\.\d{3} {2}statement\.published/);
    expect(leftovers(data).length).toBeGreaterThan(0);
    expect(await interrupt(started)).toBe(0);
    expect(leftovers(data)).toEqual([]);
  }, 180_000);

  it('goes on with the same data: nothing is announced a second time', async () => {
    const started = start();
    await shows(started, 'Ctrl-C stops everything', 90_000);
    // The demo scenario publishes the same statements again, which are the same facts; its margins are new calculations.
    await shows(started, /margin\.restored/, 40_000);
    expect(started.output()).not.toContain('statement.published');
    expect(await interrupt(started)).toBe(0);
    expect(leftovers(data)).toEqual([]);
  }, 180_000);

  it('leaves nothing behind when it is killed outright', async () => {
    const started = start();
    await shows(started, 'Ctrl-C stops everything', 90_000);
    started.child.kill('SIGKILL');
    await once(started.child, 'close');
    await waitFor(
      () => leftovers(data).filter((command) => !command.includes('redis')).length === 0,
      20_000,
      () => leftovers(data).join('\n'),
    );
    // The private Redis outlives its starter, so that nothing is lost; the next start takes it over.
    const next = start();
    await shows(next, 'Ctrl-C stops everything', 90_000);
    expect(await interrupt(next)).toBe(0);
    expect(leftovers(data)).toEqual([]);
  }, 240_000);

  it('warns of a Redis that could lose jobs, and refuses it in production', async () => {
    const redis = await startTestRedis();
    const client = new Redis(redis.url);
    try {
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const refused = start({ REDIS_URL: redis.url, NODE_ENV: 'production' });
      expect(await ended(refused)).toBe(1);
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
