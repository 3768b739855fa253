import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { parseMarketDateTime } from '@ssb/market';
import { connectRedis, startTestRedis, type TestRedis } from '@ssb/redis';
import { pollerKeys } from '../keys.js';
import { FencedOffError, PollerState } from '../state/poller-state.js';
import { Lease, type FencingToken } from './lease.js';

const TTL_MS = 2_000;

let server: TestRedis;
let keys: ReturnType<typeof pollerKeys>;
let connections: Redis[];
let leases: Lease[];

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(() => {
  keys = pollerKeys(randomUUID());
  connections = [];
  leases = [];
});
afterEach(async () => {
  for (const lease of leases) await lease.stop().catch(ignoreLostConnection);
  for (const redis of connections) if (redis.status === 'ready') await redis.quit();
});

/** The test took the connection away itself. */
function ignoreLostConnection(): void {
  return;
}

function connection(): Redis {
  const redis = connectRedis(server.url, { name: 'lease-spec' });
  connections.push(redis);
  return redis;
}

function contend(holder: string, redis = connection()): { lease: Lease; changes: boolean[] } {
  const changes: boolean[] = [];
  const lease = new Lease({
    redis,
    leaseKey: keys.lease,
    fenceKey: keys.fence,
    holder,
    ttlMs: TTL_MS,
    renewMs: TTL_MS / 4,
    contestMs: 50,
    onChange: (held) => changes.push(held),
    onError: () => undefined,
  });
  leases.push(lease);
  lease.start();
  return { lease, changes };
}

async function until<T>(read: () => T | undefined | false, boundMs = 15_000): Promise<T> {
  const deadline = Date.now() + boundMs;
  for (;;) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error('the condition did not come true in time');
    await pause(5);
  }
}

describe('the lease', () => {
  it('is held by one of two, for longer than its time to live', async () => {
    const first = contend('first');
    const token = await until(() => first.lease.held());
    const second = contend('second');
    await pause(TTL_MS * 1.25);
    expect(first.lease.held()).toBe(token);
    expect(second.lease.held()).toBeUndefined();
    expect(second.changes).toEqual([]);
  });

  it('goes over when its holder dies without a word, within its time to live and a moment', async () => {
    const redis = connection();
    const first = contend('first', redis);
    const old = await until(() => first.lease.held());
    const second = contend('second');
    const died = performance.now();
    redis.disconnect();
    const next = await until(() => second.lease.held());
    // Not at once: the dead holder's time has to run out first.
    expect(performance.now() - died).toBeGreaterThan(TTL_MS / 2);
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('is no longer believed by a holder that cannot reach Redis', async () => {
    const redis = connection();
    const { lease, changes } = contend('first', redis);
    await until(() => lease.held());
    redis.disconnect();
    await until(() => lease.held() === undefined);
    await until(() => changes.length === 2);
    expect(changes).toEqual([true, false]);
  });

  it('goes over at once when its holder stops in order', async () => {
    const first = contend('first');
    await until(() => first.lease.held());
    const second = contend('second');
    await pause(100);
    await first.lease.stop();
    const stopped = performance.now();
    await until(() => second.lease.held());
    // Sooner than the time to live: nobody waited for it to run out.
    expect(performance.now() - stopped).toBeLessThan(TTL_MS / 2);
  });

  it('gives back nothing that another holds', async () => {
    const first = contend('first');
    await until(() => first.lease.held());
    await connection().set(keys.lease, 'second');
    await first.lease.stop();
    expect(await connection().get(keys.lease)).toBe('second');
  });

  it('is taken anew, with a greater token, after Redis lost everything', async () => {
    const { lease } = contend('first');
    const old = await until(() => lease.held());
    await connection().flushall();
    const next = await until(() => (lease.held() === old ? undefined : lease.held()));
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('is taken anew when the counter of tokens alone was lost, so that its holder can write again', async () => {
    const { lease } = contend('first');
    const old = await until(() => lease.held());
    await connection().del(keys.fence);
    const next = await until(() => (lease.held() === old ? undefined : lease.held()));
    const state = new PollerState(connection(), keys);
    await state.rememberSeen(next, 'statement:WEM|2026-03-01|INITIAL', '7');
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('is taken up under the same token by a holder that never got the answer', async () => {
    const redis = connection();
    await redis.mset(keys.lease, 'first', keys.fence, '41');
    const { lease } = contend('first');
    expect(await until(() => lease.held())).toBe('41');
  });
});

describe('fencing', () => {
  const at = parseMarketDateTime('2026-03-02T09:00:00');

  it('lets the leader write and refuses the one before', async () => {
    const redis = connection();
    const first = contend('first', redis);
    const old = await until(() => first.lease.held());
    const second = contend('second');
    redis.disconnect();
    const token = await until(() => second.lease.held());
    const state = new PollerState(connection(), keys);
    await state.rememberMargin(token, { level: 'OK', calculatedAt: at });
    await expect(state.rememberMargin(old, { level: 'BREACHED', calculatedAt: at })).rejects.toThrow(
      FencedOffError,
    );
    await expect(state.rememberSeen(old, 'statement:WEM|2026-03-01|INITIAL', '7')).rejects.toThrow(
      FencedOffError,
    );
    expect(await state.read()).toMatchObject({
      margin: { level: 'OK', calculatedAt: at },
      seen: new Set(),
    });
  });

  it('refuses everybody after Redis lost everything, until the lease is taken anew', async () => {
    const state = new PollerState(connection(), keys);
    await expect(
      state.rememberMargin('1' as FencingToken, { level: 'OK', calculatedAt: at }),
    ).rejects.toThrow(FencedOffError);
  });

  it('remembers what was seen beside the margin', async () => {
    const { lease } = contend('first');
    const token = await until(() => lease.held());
    const state = new PollerState(connection(), keys);
    await state.rememberSeen(token, 'statement:WEM|2026-03-01|INITIAL', '7');
    expect(await state.read()).toEqual({
      margin: undefined,
      intent: undefined,
      seen: new Set(['statement:WEM|2026-03-01|INITIAL']),
    });
  });
});
