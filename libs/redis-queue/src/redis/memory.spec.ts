import { startTestRedis } from '@ssb/testing';
import { connectRedis } from './connect.js';
import { readRedisMemory } from './memory.js';

it('reads the memory, and nothing for a user that may not call INFO', async () => {
  const server = await startTestRedis();
  const redis = connectRedis(server.url, { name: 'memory' });
  try {
    const unlimited = await readRedisMemory(redis);
    expect(unlimited?.used).toBeGreaterThan(100_000);
    expect(unlimited?.limit).toBeGreaterThan(unlimited?.used ?? Infinity);
    await redis.config('SET', 'maxmemory', '50mb');
    expect((await readRedisMemory(redis))?.limit).toBe(50 * 1024 * 1024);
    await redis.acl('SETUSER', 'limited', 'on', 'nopass', '+@all', '-info');
    await redis.auth('limited', 'any');
    expect(await readRedisMemory(redis)).toBeUndefined();
  } finally {
    redis.disconnect();
    await server.stop();
  }
});
