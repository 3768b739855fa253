import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { ReaderStartStore, TooManyStartsError } from './reader-start.store.js';
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
  ['the oldest message', 'oldest' as const, undefined],
])('keeps the first start of a reader: %s', async (name, from, since) => {
  expect(await starts.begin(reader(name), from)).toEqual({ since, isAtEnd: false });
  expect(await starts.begin(reader(name), 'now')).toEqual({ since, isAtEnd: false });
  expect(await starts.find(reader(name))).toEqual({ since, isAtEnd: false });
});

it('stores nothing for a reader that requested no start', async () => {
  expect(await starts.find(reader('none'))).toEqual({ since: undefined, isAtEnd: false });
  expect(await starts.begin(reader('none'), INSTANT)).toMatchObject({ since: INSTANT });
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
  const key = keys.readerStart('0xab', 'expiring');
  await redis.pexpire(key, LIFETIME_MS / 2);
  await starts.begin(reader('expiring'), INSTANT);
  expect(await redis.pttl(key)).toBeGreaterThan(LIFETIME_MS / 2);
  expect(await redis.pttl(key)).toBeLessThanOrEqual(LIFETIME_MS);
});

it('refuses a start of an identity that has too many, until one of them expires', async () => {
  const bounded = new ReaderStartStore(new RedisEngine(redis, 20_000), keys, LIFETIME_MS, 2);
  const of = (clientId: string) => ({ address: '0xef', clientId });
  for (const clientId of ['a', 'b']) await bounded.begin(of(clientId), 'now');
  await expect(bounded.begin(of('c'), 'now')).rejects.toThrow(TooManyStartsError);
  expect(await redis.exists(keys.readerStart('0xef', 'c'))).toBe(0);
  expect(await bounded.begin(of('a'), INSTANT)).toMatchObject({ isAtEnd: false });
  expect(await bounded.find(of('c'))).toEqual({ since: undefined, isAtEnd: false });
  expect(await bounded.begin({ address: '0xff', clientId: 'c' }, INSTANT)).toMatchObject({ since: INSTANT });
  await redis.zadd(keys.readerStarts('0xef'), 1, keys.readerStart('0xef', 'b'));
  expect(await bounded.begin(of('c'), INSTANT)).toMatchObject({ since: INSTANT });
});
