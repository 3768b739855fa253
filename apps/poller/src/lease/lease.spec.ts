import { parseMarketDateTime } from '@ssb/market';
import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pollerKeys } from '../keys.js';
import { FencedOffError, PollerState } from './poller-state.js';
import { type FencingToken, Lease } from './lease.js';

const TTL_MS = 2_000;

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

/** Replicas that contend for a lease of their own. */
class Contest {
  readonly keys = pollerKeys(randomUUID());
  private readonly connections: Redis[] = [];
  private readonly leases: Lease[] = [];

  connection(): Redis {
    const redis = connectRedis(server.url, { name: 'lease-spec' });
    this.connections.push(redis);
    return redis;
  }

  enter(
    holder: string,
    {
      redis = this.connection(),
      ttlMs = TTL_MS,
      renewMs = ttlMs / 4,
    }: { redis?: Redis; ttlMs?: number; renewMs?: number } = {},
  ): { lease: Lease; changes: boolean[] } {
    const changes: boolean[] = [];
    const lease = new Lease({
      redis,
      leaseKey: this.keys.lease,
      fenceKey: this.keys.fence,
      holder,
      ttlMs,
      renewMs,
      contestMs: 50,
      onChange: (held) => changes.push(held),
      onError: () => undefined,
    });
    this.leases.push(lease);
    lease.start();
    return { lease, changes };
  }

  state(): PollerState {
    return new PollerState(this.connection(), this.keys);
  }

  async end(): Promise<void> {
    for (const lease of this.leases) await lease.stop().catch(ignoreLostConnection);
    for (const redis of this.connections) if (redis.status === 'ready') await redis.quit();
  }
}

/** The test took the connection away itself. */
function ignoreLostConnection(): void {
  return;
}

let contest: Contest;
beforeEach(() => {
  contest = new Contest();
});
afterEach(() => contest.end());

describe('the lease', () => {
  it('is held by one of two, who prolongs it whenever it has grown short', async () => {
    // Never runs out by itself in this test, however slow the machine is; what time would do to it, the test does.
    const ttlMs = 120_000;
    const first = contest.enter('first', { ttlMs, renewMs: 20 });
    const token = await waitFor('the lease', () => first.lease.held());
    const second = contest.enter('second', { ttlMs });
    const redis = contest.connection();
    for (let round = 0; round < 5; round += 1) {
      await redis.pexpire(contest.keys.lease, ttlMs / 2);
      await waitFor('a longer lease', async () => (await redis.pttl(contest.keys.lease)) > ttlMs / 2);
    }
    expect(first.lease.held()).toBe(token);
    expect(second.lease.held()).toBeUndefined();
    expect(second.changes).toEqual([]);
  });

  it('goes over at once when its holder stops in order', async () => {
    const ttlMs = 120_000;
    const first = contest.enter('first', { ttlMs });
    await waitFor('the lease', () => first.lease.held());
    const second = contest.enter('second', { ttlMs });
    await pause(100);
    await first.lease.stop();
    // Far sooner than the time to live: nobody waits for it to run out.
    await waitFor('the lease', () => second.lease.held());
  });

  it('gives back nothing that another holds', async () => {
    const first = contest.enter('first');
    await waitFor('the lease', () => first.lease.held());
    await contest.connection().set(contest.keys.lease, 'second');
    await first.lease.stop();
    expect(await contest.connection().get(contest.keys.lease)).toBe('second');
  });

  it('is taken anew, with a greater token, after Redis lost everything', async () => {
    const { lease } = contest.enter('first');
    const old = await waitFor('the lease', () => lease.held());
    await contest.connection().flushall();
    const next = await waitFor('the lease', () => (lease.held() === old ? undefined : lease.held()));
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('is taken anew when the counter of tokens alone was lost, so that its holder can write again', async () => {
    const { lease } = contest.enter('first');
    const old = await waitFor('the lease', () => lease.held());
    await contest.connection().del(contest.keys.fence);
    const next = await waitFor('the lease', () => (lease.held() === old ? undefined : lease.held()));
    const state = contest.state();
    await state.rememberSeen(next, 'statement:WEM|2026-03-01|INITIAL', '7');
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('is taken up under the same token by a holder that never got the answer', async () => {
    const redis = contest.connection();
    await redis.mset(contest.keys.lease, 'first', contest.keys.fence, '41');
    const { lease } = contest.enter('first');
    expect(await waitFor('the lease', () => lease.held())).toBe('41');
  });
});

describe('a holder that dies without a word', () => {
  let death: Contest;
  let dead: { lease: Lease; changes: boolean[] };
  let old: FencingToken;
  let next: FencingToken;
  /** From before the dead one took the lease until the next one has it. */
  let heldMs: number;

  beforeAll(async () => {
    death = new Contest();
    const redis = death.connection();
    const entered = performance.now();
    dead = death.enter('first', { redis });
    old = await waitFor('the lease', () => dead.lease.held());
    const second = death.enter('second');
    redis.disconnect();
    next = await waitFor('the lease', () => second.lease.held());
    heldMs = performance.now() - entered;
  });
  afterAll(() => death.end());

  it('is followed by another with a greater token, but not before its time has run out', () => {
    // Redis and this process count the milliseconds each by itself.
    expect(heldMs).toBeGreaterThan(TTL_MS - 50);
    expect(Number(next)).toBeGreaterThan(Number(old));
  });

  it('no longer believes that it leads', async () => {
    await waitFor('both changes', () => dead.changes.length === 2);
    expect(dead.lease.held()).toBeUndefined();
    expect(dead.changes).toEqual([true, false]);
  });

  it('writes no more: the one who leads does', async () => {
    const at = parseMarketDateTime('2026-03-02T09:00:00');
    const state = death.state();
    await state.rememberMargin(next, { level: 'OK', calculatedAt: at });
    await expect(state.rememberMargin(old, { level: 'BREACHED', calculatedAt: at })).rejects.toThrow(
      FencedOffError,
    );
    await expect(state.rememberSeen(old, 'statement:WEM|2026-03-01|INITIAL', '7')).rejects.toThrow(
      FencedOffError,
    );
    expect(await state.read()).toMatchObject({ margin: { level: 'OK', calculatedAt: at }, seen: new Set() });
  });
});

describe('fencing', () => {
  const at = parseMarketDateTime('2026-03-02T09:00:00');

  it('refuses everybody after Redis lost everything the lease is taken anew', async () => {
    const state = contest.state();
    await expect(
      state.rememberMargin('1' as FencingToken, { level: 'OK', calculatedAt: at }),
    ).rejects.toThrow(FencedOffError);
  });

  it('remembers what was seen beside the margin', async () => {
    const { lease } = contest.enter('first');
    const token = await waitFor('the lease', () => lease.held());
    const state = contest.state();
    await state.rememberSeen(token, 'statement:WEM|2026-03-01|INITIAL', '7');
    expect(await state.read()).toEqual({
      margin: undefined,
      intent: undefined,
      seen: new Set(['statement:WEM|2026-03-01|INITIAL']),
    });
  });
});
