import { readRedisClock } from './redis-clock.js';
import { assertWritableRedis } from './writable.js';
import { redis, setUpRedis } from '../../test/redis-fixture.js';

setUpRedis();
it('accepts a Redis that stores, and leaves a key that expires', async () => {
  await assertWritableRedis(redis, '{bridge}:writable');
  expect(await redis.ttl('{bridge}:writable')).toBeGreaterThan(0);
});

it.each([
  ['without its replicas', 'min-replicas-to-write', '1', '0', 'NOREPLICAS'],
  ['without memory', 'maxmemory', '1', '0', 'OOM'],
])('refuses a Redis %s, which responds to a PING', async (_, name, value, normal, code) => {
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

it('the clock of the server is read between request and response', async () => {
  const { requestedAt, respondedAt, remoteTime, resolutionMs } = await readRedisClock(redis);
  // Server and test run on one machine. Both clocks are rounded down to milliseconds.
  expect(remoteTime + resolutionMs).toBeGreaterThanOrEqual(requestedAt);
  expect(remoteTime).toBeLessThanOrEqual(respondedAt);
});
