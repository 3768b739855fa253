import { redis, setUpRedis } from '../../test/redis-fixture.js';
import { readRedisMemory } from './queue-reader.js';

setUpRedis();

it('reads the memory that Redis uses, and its limit where it shows one', async () => {
  const unlimited = await readRedisMemory(redis);
  expect(unlimited?.used).toBeGreaterThan(100_000);
  expect(unlimited?.limit).toBeGreaterThan(unlimited?.used ?? Infinity);
  await redis.config('SET', 'maxmemory', '50mb');
  expect((await readRedisMemory(redis))?.limit).toBe(50 * 1024 * 1024);
  await redis.acl('SETUSER', 'limited', 'on', 'nopass', '+@all', '-info');
  await redis.auth('limited', 'any');
  expect(await readRedisMemory(redis)).toBeUndefined();
});
