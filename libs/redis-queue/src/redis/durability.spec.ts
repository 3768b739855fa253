import { redis, server, setUpRedis } from '../../test/redis-fixture.js';
import { connectRedis } from './connect.js';
import { checkDurability, findAcknowledgedWriteRisks, findRisks, UnsafeRedisError } from './durability.js';

describe('findRisks', () => {
  it.each([
    ['a safe Redis', { maxmemoryPolicy: 'noeviction', appendonly: 'yes', save: '' }, []],
    ['a hidden configuration', {}, []],
    ['eviction', { maxmemoryPolicy: 'allkeys-lru', appendonly: 'yes' }, [/maxmemory-policy is allkeys-lru/]],
    [
      'snapshots alone',
      { maxmemoryPolicy: 'noeviction', appendonly: 'no', save: '3600 1' },
      [/since the last snapshot/],
    ],
    ['no persistence', { maxmemoryPolicy: 'noeviction', appendonly: 'no', save: '' }, [/loses everything/]],
    ['both', { maxmemoryPolicy: 'volatile-ttl', appendonly: 'no' }, [/volatile-ttl/, /appendonly to yes/]],
  ])('returns the risks of %s', (_, durability, expected) => {
    const risks = findRisks(durability);
    expect(risks).toHaveLength(expected.length);
    expected.forEach((pattern, index) => expect(risks[index]).toMatch(pattern));
  });
});

describe('findAcknowledgedWriteRisks', () => {
  it.each([
    ['a Redis that writes before it responds', { appendonly: 'yes', appendfsync: 'always' }, []],
    [
      'a Redis that writes every second',
      { appendonly: 'yes', appendfsync: 'everysec' },
      [/everysec.*always/],
    ],
    [
      'a Redis that leaves it to the system',
      { appendonly: 'yes', appendfsync: 'no' },
      [/appendfsync is no\b/],
    ],
    ['a Redis without a file, which is a risk already', { appendonly: 'no', appendfsync: 'everysec' }, []],
    ['a hidden configuration', {}, []],
  ])('returns the risks of %s', (_, durability, expected) => {
    expect(findAcknowledgedWriteRisks(durability)).toEqual(
      expected.map((pattern) => expect.stringMatching(pattern)),
    );
  });
});

describe('against a real Redis', () => {
  setUpRedis();

  it.each(['99', '-1'])('refuses the database %s, which does not exist', async (database) => {
    const client = connectRedis(`${server.url}/${database}`, { name: 'test' });
    const failure = checkDurability(client, { production: false });
    await expect(failure).rejects.toMatchObject({
      startFault: 'configuration',
      message: expect.stringMatching(
        /^The Redis of REDIS_URL refuses database .+ \(ERR .+\); end REDIS_URL with .+ such as \/0\.$/,
      ),
    });
    client.disconnect();
  });

  it('finds no risk in the private Redis, in any database that exists', async () => {
    const client = connectRedis(`${server.url}/15`, { name: 'test' });
    expect(await checkDurability(client, { production: true, acknowledgesWrites: true })).toEqual([]);
    client.disconnect();
  });

  it('names a refused password, in a sentence that ends once', async () => {
    const client = connectRedis(server.url.replace(/:[^:]*@/, 'ops:hunter2@'), { name: 'test' });
    await expect(checkDurability(client, { production: false })).rejects.toThrow(
      /^The Redis of REDIS_URL refuses the user name or password: WRONGPASS [^.]+\.$/,
    );
    client.disconnect();
  });

  it('names a right that the user lacks', async () => {
    await redis.acl('SETUSER', 'other', 'on', '>secret', '~other:*', '+@all');
    const client = connectRedis(server.url.replace(/:[^:]*@/, 'other:secret@'), { name: 'test' });
    const failure = checkDurability(client, { production: false, writableKey: '{bridge}:writable' });
    await expect(failure).rejects.toMatchObject({
      startFault: 'configuration',
      message: expect.stringMatching(/does not permit what the app does \(NOPERM .+\); give its user/),
    });
    expect(await checkDurability(client, { production: true, writableKey: 'other:writable' })).toEqual([]);
    client.disconnect();
  });

  it('warns only an app that acknowledges writes when Redis responds before the write', async () => {
    await redis.config('SET', 'appendfsync', 'everysec');
    expect(await checkDurability(redis, { production: true, acknowledgesWrites: true })).toHaveLength(1);
    expect(await checkDurability(redis, { production: true })).toEqual([]);
    await redis.config('SET', 'appendfsync', 'always');
  });

  it('warns in development and refuses in production', async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await checkDurability(redis, { production: false })).toHaveLength(1);
    await expect(checkDurability(redis, { production: true })).rejects.toThrow(UnsafeRedisError);
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
  });
});
