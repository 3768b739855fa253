import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { connectRedis } from './connect.js';
import { checkDurability, dangersOf, lossesOf, UnsafeRedisError } from './durability.js';

describe('dangersOf', () => {
  it.each([
    ['a safe Redis', { maxmemoryPolicy: 'noeviction', appendonly: 'yes', save: '' }, []],
    ['one that does not tell', {}, []],
    ['eviction', { maxmemoryPolicy: 'allkeys-lru', appendonly: 'yes' }, [/maxmemory-policy is allkeys-lru/]],
    [
      'snapshots alone',
      { maxmemoryPolicy: 'noeviction', appendonly: 'no', save: '3600 1' },
      [/since the last snapshot/],
    ],
    ['no persistence', { maxmemoryPolicy: 'noeviction', appendonly: 'no', save: '' }, [/loses everything/]],
    ['both', { maxmemoryPolicy: 'volatile-ttl', appendonly: 'no' }, [/volatile-ttl/, /appendonly to yes/]],
  ])('finds what is wrong with %s', (_, durability, expected) => {
    const dangers = dangersOf(durability);
    expect(dangers).toHaveLength(expected.length);
    expected.forEach((pattern, at) => expect(dangers[at]).toMatch(pattern));
  });
});

describe('lossesOf', () => {
  it.each([
    ['one that writes before it answers', { appendonly: 'yes', appendfsync: 'always' }, []],
    ['one that writes every second', { appendonly: 'yes', appendfsync: 'everysec' }, [/everysec.*always/]],
    ['one that leaves it to the system', { appendonly: 'yes', appendfsync: 'no' }, [/appendfsync is no\b/]],
    ['one without a file, which is a danger already', { appendonly: 'no', appendfsync: 'everysec' }, []],
    ['one that does not tell', {}, []],
  ])('of %s', (_, durability, expected) => {
    expect(lossesOf(durability)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });
});

describe('against a real Redis', () => {
  let server: TestRedis;
  let redis: Redis;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = connectRedis(server.url, { name: 'test' });
  });

  afterAll(async () => {
    await redis.quit();
    await server.stop();
  });

  it('has no complaint about the one we start', async () => {
    expect(await checkDurability(redis, { production: true, confirms: true })).toEqual([]);
  });

  it('warns those who confirm to others of an answer before the write, and them alone', async () => {
    await redis.config('SET', 'appendfsync', 'everysec');
    expect(await checkDurability(redis, { production: true, confirms: true })).toHaveLength(1);
    expect(await checkDurability(redis, { production: true })).toEqual([]);
    await redis.config('SET', 'appendfsync', 'always');
  });

  it('warns in development and refuses in production', async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await checkDurability(redis, { production: false })).toHaveLength(1);
    await expect(checkDurability(redis, { production: true })).rejects.toThrow(UnsafeRedisError);
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
  });

  it('keeps data over a kill, and the connection comes back by itself', async () => {
    await redis.set('kept', 'yes');
    await server.kill();
    const read = redis.get('kept');
    await server.start();
    expect(await read).toBe('yes');
  });
});
