import { ContentAuthenticator, FixedKeys, parseKeyRing } from '@ssb/keys';
import { AuthenticatedHash } from './authenticated-hash.js';
import { connectRedis } from './connect.js';
import { redis, server, setUpRedis } from '../../test/redis-fixture.js';

const KEY = 'hash';
const FENCE = { key: 'fence', token: '7' };
const LIMITS = { maxFields: 4, maxBytes: 2_000 };
const keys = new FixedKeys(parseKeyRing('a secret of more than thirty-two characters'));

let hash: AuthenticatedHash;

setUpRedis();
beforeAll(() => {
  hash = new AuthenticatedHash(redis, KEY, new ContentAuthenticator(keys, 'spec'), LIMITS);
});
beforeEach(async () => {
  await redis.flushdb();
  await redis.set(FENCE.key, FENCE.token);
  await redis.hset(KEY, 'field', hash.toText('field', 'content'));
});

const addFields = (count: number): Promise<number> =>
  redis.hset(KEY, Object.fromEntries(Array.from({ length: count }, (_, index) => [index, 'x'])));

it.each<[string, string, () => Promise<unknown>]>([
  ['a string', 'malformed', () => redis.set(KEY, 'x')],
  ['a list', 'malformed', () => redis.del(KEY).then(() => redis.rpush(KEY, 'x'))],
  ['a hash with too many fields', 'too-large', () => addFields(5)],
  ['a hash with too large a value', 'too-large', () => redis.hset(KEY, 'field', 'x'.repeat(2_001))],
])('deletes %s, and only as the holder of the fence', async (_, reason, forge) => {
  const readings = [hash.read.bind(hash, ['field']), hash.readAll.bind(hash, [])];
  for (const read of readings) {
    await forge();
    const late = await read({ ...FENCE, token: '6' });
    expect(await hash.apply(late)).toBe(false);
    expect([late.discarded, await redis.exists(KEY)]).toEqual([[], 1]);
    for (const fence of [FENCE, undefined]) {
      await forge();
      const reading = await read(fence);
      expect(await hash.apply(reading, fence)).toBe(true);
      expect([reading.discarded, reading.values.size]).toEqual([[{ field: '', reason }], 0]);
      expect(await redis.exists(KEY)).toBe(0);
    }
  }
});

it('reads a hash of the largest size, and one that does not exist', async () => {
  await addFields(3);
  expect((await hash.readAll()).values.get('field')?.content).toBe('content');
  expect((await hash.read(['field', 'other'])).values.size).toBe(1);
  await redis.del(KEY);
  expect((await hash.readAll()).discarded).toEqual([]);
  expect((await hash.read(['field'])).discarded).toEqual([]);
});

it('rejects another error of Redis, and deletes nothing', async () => {
  await redis.acl('SETUSER', 'reader', 'on', '>secret', '~*', '+@all', '-hlen');
  const url = new URL(server.url);
  [url.username, url.password] = ['reader', 'secret'];
  const reader = connectRedis(url.href, { name: 'hash-spec' });
  const denied = new AuthenticatedHash(reader, KEY, new ContentAuthenticator(keys, 'spec'));
  await expect(denied.readAll()).rejects.toMatchObject({ name: 'ReplyError' });
  expect(await redis.exists(KEY)).toBe(1);
  reader.disconnect();
});
