import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { RedisKeys } from './redis-keys.js';
import { RedisEngine } from './redis-engine.js';
import { UsedTokenStore } from './used-token.store.js';

const HOUR_MS = 3_600_000;
const LIFE_MS = 300_000;

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'test' });
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

it.each([
  ['is an hour behind that of Redis', -HOUR_MS],
  ['equals that of Redis', 0],
  ['is an hour ahead of that of Redis', HOUR_MS],
])('accepts an id once where the broker’s clock %s, and removes it afterwards', async (clock, ahead) => {
  const now = (): Date => new Date(Date.now() + ahead);
  const usedTokens = new UsedTokenStore(new RedisEngine(redis, 20_000), new RedisKeys(`${clock}:`), now);
  const expiresAt = new Date(now().getTime() + LIFE_MS);
  expect(await usedTokens.markUsed('test', 'id', expiresAt)).toBe(true);
  expect(await usedTokens.markUsed('test', 'id', expiresAt)).toBe(false);
  const left = await redis.pttl(new RedisKeys(`${clock}:`).usedToken('test', 'id'));
  expect(left).toBeGreaterThan(LIFE_MS - 30_000);
  expect(left).toBeLessThanOrEqual(LIFE_MS + 60_000);
});

it('accepts an id once that has just expired', async () => {
  const usedTokens = new UsedTokenStore(new RedisEngine(redis, 20_000), new RedisKeys('late:'));
  const expiresAt = new Date(Date.now() - 1_000);
  expect(await usedTokens.markUsed('test', 'id', expiresAt)).toBe(true);
  expect(await usedTokens.markUsed('test', 'id', expiresAt)).toBe(false);
});
