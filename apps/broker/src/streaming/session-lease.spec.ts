import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { RedisKeys } from '../storage/redis/redis-keys.js';
import { RedisEngine } from '../storage/redis/redis-engine.js';
import { SessionStore } from '../storage/redis/session.store.js';
import { SessionLease } from './session-lease.js';

let server: TestRedis;
let redis: Redis;
let sessions: SessionStore;
let sessionCount = 0;
let session: string;

const createLease = (): SessionLease => new SessionLease(sessions, session, () => undefined);

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'test' });
  sessions = new SessionStore(new RedisEngine(redis, 20_000), new RedisKeys('t:'));
});

beforeEach(() => {
  sessionCount += 1;
  session = `session ${sessionCount}`;
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe('a session lease', () => {
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
