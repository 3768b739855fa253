import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { connectRedis } from './connect.js';
import { assertWritableRedis } from './writable.js';

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'writable-spec' });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

it('accepts a Redis that stores, and leaves a key that expires', async () => {
  await assertWritableRedis(redis, '{bridge}:writable');
  expect(await redis.ttl('{bridge}:writable')).toBeGreaterThan(0);
});

it.each([
  ['without its replicas', 'min-replicas-to-write', '1', '0', 'NOREPLICAS'],
  ['without memory', 'maxmemory', '1', '0', 'OOM'],
])('refuses a Redis %s, which answers a PING', async (_, name, value, normal, code) => {
  await redis.config('SET', name, value);
  try {
    expect(await redis.ping()).toBe('PONG');
    await expect(assertWritableRedis(redis, '{bridge}:writable')).rejects.toThrow(
      `Redis refuses writes: ${code}`,
    );
  } finally {
    await redis.config('SET', name, normal);
  }
});

it('refuses a replica', async () => {
  await redis.call('REPLICAOF', '127.0.0.1', '1');
  try {
    await expect(assertWritableRedis(redis, '{bridge}:writable')).rejects.toThrow(/READONLY/);
  } finally {
    await redis.call('REPLICAOF', 'NO', 'ONE');
  }
});
