import { KeyRing } from '@ssb/keys';
import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { FencedOffError, type FencingToken, pollerKeys } from '../state/poller-keys.js';
import { PollerStateStore } from '../state/poller-state-store.js';
import { LeaseShare } from './lease-share.js';
import { Lease } from './lease.js';

const TTL_MS = 2_000;
const RING = new KeyRing([{ version: 1, activeFrom: new Date(0), secret: 's'.repeat(32) }]);

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

/** Replicas that compete for one lease. */
class Replicas {
  readonly keys = pollerKeys('{lease-spec}', randomUUID());
  private readonly connections: Redis[] = [];
  private readonly leases: Lease[] = [];

  connection(): Redis {
    const redis = connectRedis(server.url, { name: 'lease-spec' });
    this.connections.push(redis);
    return redis;
  }

  startLease(
    holder: string,
    {
      redis = this.connection(),
      ttlMs = TTL_MS,
      renewIntervalMs = ttlMs / 4,
      limit = () => 1,
    }: { redis?: Redis; ttlMs?: number; renewIntervalMs?: number; limit?: () => number } = {},
  ): { lease: Lease; changes: boolean[] } {
    const changes: boolean[] = [];
    const lease = new Lease({
      redis,
      keys: this.keys,
      participant: 'ALPHA',
      holder,
      ttlMs,
      renewIntervalMs,
      acquireIntervalMs: 50,
      share: new LeaseShare(limit, () => undefined),
    });
    this.leases.push(lease);
    lease.start({ onChange: (held) => changes.push(held), onError: () => undefined });
    return { lease, changes };
  }

  state(): PollerStateStore {
    return new PollerStateStore({
      redis: this.connection(),
      keys: this.keys,
      integrityKeys: { current: () => RING, refresh: () => Promise.resolve() },
      onDiscarded: () => undefined,
    });
  }

  async stop(): Promise<void> {
    for (const lease of this.leases) await lease.stop().catch(ignoreLostConnection);
    for (const redis of this.connections) if (redis.status === 'ready') await redis.quit();
  }
}

/** The test itself closed the connection. */
function ignoreLostConnection(): void {
  return;
}

let replicas: Replicas;
beforeEach(() => {
  replicas = new Replicas();
});
afterEach(() => replicas.stop());

describe('the lease', () => {
  it('is held by one of two replicas, which renews it before it expires', async () => {
    // The lease never expires by itself in this test; the test shortens it instead.
    const ttlMs = 120_000;
    const first = replicas.startLease('first', { ttlMs, renewIntervalMs: 20 });
    const token = await waitFor('the lease', () => first.lease.heldToken());
    const second = replicas.startLease('second', { ttlMs });
    const redis = replicas.connection();
    for (let round = 0; round < 5; round += 1) {
      await redis.pexpire(replicas.keys.lease, ttlMs / 2);
      await waitFor('a longer lease', async () => (await redis.pttl(replicas.keys.lease)) > ttlMs / 2);
    }
    expect(first.lease.heldToken()).toBe(token);
    expect(second.lease.heldToken()).toBeUndefined();
    expect(second.changes).toEqual([]);
  });

  it('does not release a lease that another replica holds', async () => {
    const first = replicas.startLease('first');
    await waitFor('the lease', () => first.lease.heldToken());
    await replicas.connection().set(replicas.keys.lease, 'second');
    await first.lease.stop();
    expect(await replicas.connection().get(replicas.keys.lease)).toBe('second');
  });

  it('is acquired again, with a greater token, after Redis lost all data', async () => {
    const { lease } = replicas.startLease('first');
    const old = await waitFor('the lease', () => lease.heldToken());
    await replicas.connection().flushall();
    const next = await waitFor('the lease', () =>
      lease.heldToken() === old ? undefined : lease.heldToken(),
    );
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('is acquired again when only the token counter was lost, so that its holder can write', async () => {
    const { lease } = replicas.startLease('first');
    const old = await waitFor('the lease', () => lease.heldToken());
    await replicas.connection().del(replicas.keys.fence);
    const next = await waitFor('the lease', () =>
      lease.heldToken() === old ? undefined : lease.heldToken(),
    );
    const state = replicas.state();
    await state.savePart(next, 'statement:WEM|2026-03-01|INITIAL', '7');
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('has another token at a server that did not receive the last term', async () => {
    const future = String(1_000 * Date.parse('2100-01-01'));
    const tokens = [];
    for (const holder of ['first', 'second']) {
      const redis = replicas.connection();
      // As a replica has it, which becomes the master.
      await redis.del(replicas.keys.lease);
      await redis.set(replicas.keys.fence, future);
      const { lease } = replicas.startLease(holder, { redis });
      tokens.push(await waitFor('the lease', () => lease.heldToken()));
      await lease.stop();
    }
    expect(Number(tokens[0])).toBeGreaterThan(Number(future));
    expect(tokens[1]).not.toBe(tokens[0]);
  });

  it('keeps its token when the holder did not receive the first response', async () => {
    const redis = replicas.connection();
    await redis.mset(replicas.keys.lease, 'first', replicas.keys.fence, '41');
    const { lease } = replicas.startLease('first');
    expect(await waitFor('the lease', () => lease.heldToken())).toBe('41');
  });
});

describe('a holder that loses its connection', () => {
  let pair: Replicas;
  let lost: { lease: Lease; changes: boolean[] };
  let old: FencingToken;
  let next: FencingToken;
  /** From before the first replica acquired the lease until the second has it. */
  let heldMs: number;

  beforeAll(async () => {
    pair = new Replicas();
    const redis = pair.connection();
    const startedAt = performance.now();
    lost = pair.startLease('first', { redis });
    old = await waitFor('the lease', () => lost.lease.heldToken());
    const second = pair.startLease('second', { ttlMs: 120_000, renewIntervalMs: TTL_MS / 4 });
    redis.disconnect();
    next = await waitFor('the lease', () => second.lease.heldToken());
    heldMs = performance.now() - startedAt;
  });
  afterAll(() => pair.stop());

  it('is followed by another replica with a greater token, but not before the lease expires', () => {
    // Redis and this process use different clocks.
    expect(heldMs).toBeGreaterThan(TTL_MS - 50);
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('no longer holds a token', async () => {
    await waitFor('both changes', () => lost.changes.length === 2);
    expect(lost.lease.heldToken()).toBeUndefined();
    expect(lost.changes).toEqual([true, false]);
  });

  it('cannot write any more, but the new leader can', async () => {
    const state = pair.state();
    await state.savePart(next, 'position', 'OK');
    await expect(state.savePart(old, 'position', 'BREACHED')).rejects.toThrow(FencedOffError);
    await expect(state.savePart(old, 'statement:WEM|2026-03-01|INITIAL', '7')).rejects.toThrow(
      FencedOffError,
    );
    expect(await state.readPart(next, 'position')).toMatchObject({ parts: new Map([['position', 'OK']]) });
    expect(await state.readSettlement(next)).toMatchObject({ parts: new Map() });
  });
});

it('every write is refused after Redis lost all data', async () => {
  const state = replicas.state();
  await expect(state.savePart('1' as FencingToken, 'position', 'OK')).rejects.toThrow(FencedOffError);
});

describe('shared leases', () => {
  it('are handed over, and the former holder does not take them back', async () => {
    let hasTooMany = false;
    let refused = 0;
    const limit = (): number => {
      if (hasTooMany) refused += 1;
      return hasTooMany ? 0 : 1;
    };
    const { lease: first } = replicas.startLease('first', { limit });
    await waitFor('the lease', () => first.heldToken());
    const { lease: second } = replicas.startLease('second', { ttlMs: 120_000, renewIntervalMs: TTL_MS / 4 });
    hasTooMany = true;
    const token = await waitFor('the other holder', () => second.heldToken());
    expect(first.heldToken()).toBeUndefined();
    await waitFor('further rounds', () => refused > 3);
    expect(second.heldToken()).toBe(token);
  });

  it('that no other replica acquires are acquired after half of the time to live, also without a free share', async () => {
    let tries = 0;
    const startedAt = performance.now();
    const limit = (): number => {
      tries += 1;
      return 0;
    };
    const { lease } = replicas.startLease('full', { limit });
    await waitFor('the lease', () => lease.heldToken());
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(TTL_MS / 2);
    expect(tries).toBeGreaterThan(2);
  });
});
