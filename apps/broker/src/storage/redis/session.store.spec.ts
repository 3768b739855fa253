import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { SessionLease } from '../../streaming/session-lease.js';
import { RedisKeys } from './redis-keys.js';
import { RedisEngine } from './redis-engine.js';
import { SessionStore } from './session.store.js';

const LIFE_MS = 60_000;

let server: TestRedis;
let redis: Redis;
let engine: RedisEngine;
let sessions: SessionStore;
const keys = new RedisKeys('t:');

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'test' });
  engine = new RedisEngine(redis, 20_000);
  sessions = new SessionStore(engine, keys, LIFE_MS);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const left = (session: string): Promise<number> => redis.pttl(keys.session(session));

describe('a session', () => {
  it('expires when its broker is gone, and has a key of its own', async () => {
    await sessions.take('one', 'a');
    await sessions.take('two', 'b');
    expect(await redis.dbsize()).toBe(2);
    for (const session of ['one', 'two']) {
      expect(await left(session)).toBeGreaterThan(0);
      expect(await left(session)).toBeLessThanOrEqual(LIFE_MS);
    }
  });

  it('is extended by its holder only', async () => {
    await sessions.take('s', 'holder');
    await redis.pexpire(keys.session('s'), LIFE_MS / 2);
    expect(await sessions.confirm('s', 'other')).toBe(false);
    expect(await left('s')).toBeLessThanOrEqual(LIFE_MS / 2);
    expect(await sessions.confirm('s', 'holder')).toBe(true);
    expect(await left('s')).toBeGreaterThan(LIFE_MS / 2);
  });

  it('that expired is taken again by a confirmation', async () => {
    await sessions.take('expired', 'holder');
    await redis.del(keys.session('expired'));
    expect(await sessions.confirm('expired', 'holder')).toBe(true);
    expect(await sessions.confirm('expired', 'other')).toBe(false);
  });

  it('is confirmed at intervals while it is held', async () => {
    const shortLived = new SessionStore(engine, keys, 1_200);
    const lease: SessionLease = new SessionLease(shortLived, 'held', () => void lease.confirm());
    await lease.take();
    let lowest = Infinity;
    const risen = await waitFor('the session to be extended', async () => {
      const now = await left('held');
      const rose = now > lowest;
      lowest = Math.min(lowest, now);
      return rose;
    });
    expect(risen).toBe(true);
    await lease.release();
    expect(await redis.exists(keys.session('held'))).toBe(0);
  });
});

describe('a session lease', () => {
  let session: string;
  const createLease = (): SessionLease => new SessionLease(sessions, session, () => undefined);

  beforeEach(() => {
    session = randomUUID();
  });

  it('is lost to a newer lease, which keeps the session when the older is released', async () => {
    const [older, newer] = [createLease(), createLease()];
    await older.take();
    expect([older.isTaken, newer.isTaken]).toEqual([true, false]);
    await newer.take();
    expect(await older.confirm()).toBe(false);
    await older.release();
    expect(await newer.confirm()).toBe(true);
  });

  it('is released also when Redis takes the session late', async () => {
    const lease = createLease();
    server.pause();
    const [taken, released] = [lease.take(), lease.release()];
    server.resume();
    await Promise.all([taken, released]);
    expect(await sessions.confirm(session, 'another')).toBe(true);
  });

  it('takes nothing after its release', async () => {
    const lease = createLease();
    await lease.take();
    await lease.release();
    await lease.take();
    expect(await lease.confirm()).toBe(false);
    expect(await sessions.confirm(session, 'another')).toBe(true);
  });
});
