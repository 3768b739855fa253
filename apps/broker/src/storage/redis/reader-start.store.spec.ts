import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { ReaderStartStore } from './reader-start.store.js';
import { RedisEngine } from './redis-engine.js';
import { RedisKeys } from './redis-keys.js';

const LIFETIME_MS = 600_000;
const INSTANT = new Date('2026-11-20T01:02:03.004Z');

let server: TestRedis;
let redis: Redis;
let starts: ReaderStartStore;
const keys = new RedisKeys('t:');
const reader = (clientId: string) => ({ address: '0xab', clientId });

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'test' });
  starts = new ReaderStartStore(new RedisEngine(redis, 20_000), keys, LIFETIME_MS);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

it.each([
  ['an instant', INSTANT, INSTANT],
  ['the oldest message', undefined, undefined],
])('keeps the first start of a reader: %s', async (name, from, since) => {
  expect(await starts.begin(reader(name), from)).toEqual({ since, isAtEnd: false });
  expect(await starts.begin(reader(name), 'now')).toEqual({ since, isAtEnd: false });
});

it('begins now once, and later at that time', async () => {
  const before = Date.now();
  const { since, isAtEnd } = await starts.begin(reader('now'), 'now');
  expect(isAtEnd).toBe(true);
  expect(since?.getTime()).toBeGreaterThanOrEqual(before - 1);
  expect(since?.getTime()).toBeLessThanOrEqual(Date.now());
  expect(await starts.begin(reader('now'), 'now')).toEqual({ since, isAtEnd: false });
  expect(await starts.begin({ ...reader('now'), address: '0xcd' }, INSTANT)).toMatchObject({
    since: INSTANT,
  });
});

it('expires some time after its last use', async () => {
  await starts.begin(reader('expiring'), INSTANT);
  const key = keys.readerStart(JSON.stringify(['0xab', 'expiring']));
  await redis.pexpire(key, LIFETIME_MS / 2);
  await starts.begin(reader('expiring'), INSTANT);
  expect(await redis.pttl(key)).toBeGreaterThan(LIFETIME_MS / 2);
  expect(await redis.pttl(key)).toBeLessThanOrEqual(LIFETIME_MS);
});
