import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { RedisKeys } from '../storage/redis/redis-keys.js';
import { RedisEngine } from '../storage/redis/redis-engine.js';
import { SessionStore } from '../storage/redis/session.store.js';
import { SessionLease } from './session-lease.js';

let server: TestRedis;
let redis: Redis;
let sessions: SessionStore;
let named = 0;
let session: string;

const held = (): SessionLease => new SessionLease(sessions, session, () => undefined);

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'test' });
  sessions = new SessionStore(new RedisEngine(redis, 20_000), new RedisKeys('t:'));
});

beforeEach(() => {
  named += 1;
  session = `session ${named}`;
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe('a hold on a session', () => {
  it('is lost to a newer one, which keeps it when the older gives up', async () => {
    const [older, newer] = [held(), held()];
    await older.take();
    expect([older.taken, newer.taken]).toEqual([true, false]);
    await newer.take();
    expect(await older.confirm()).toBe(false);
    await older.release();
    expect(await newer.confirm()).toBe(true);
  });

  it('is given up also when Redis takes it only later', async () => {
    const hold = held();
    server.pause();
    const [taken, released] = [hold.take(), hold.release()];
    server.resume();
    await Promise.all([taken, released]);
    expect(await sessions.confirm(session, 'somebody else')).toBe(true);
  });

  it('takes nothing once it is given up', async () => {
    const hold = held();
    await hold.take();
    await hold.release();
    await hold.take();
    expect(await hold.confirm()).toBe(false);
    expect(await sessions.confirm(session, 'somebody else')).toBe(true);
  });
});
