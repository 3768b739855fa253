import { connectRedis } from '../redis/connect.js';
import { waitFor } from '@ssb/testing';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { RecordDamagedError, RecordStore, type RecordStoreOptions, type Removal } from './record-store.js';
import { redis, server, setUpRedis } from '../../test/redis-fixture.js';

const DESCRIPTION = { participant: 'ALPHA', eventId: 'an id', subject: 'ALPHA/WEM/2026-03-01/INITIAL' };
const MEBIBYTE = 1024 * 1024;

let prefix: string;

setUpRedis();
beforeEach(() => {
  prefix = `{${randomUUID()}}`;
});

const open = (options: Partial<RecordStoreOptions> = {}): RecordStore =>
  new RecordStore({ redis, prefix, maxBytes: MEBIBYTE, maxAgeDays: 400, ...options });

/** A text that does not compress: 4,096 bytes take about 2,400. */
const randomText = (): string => randomBytes(2_048).toString('hex');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The bytes that the store really takes, without the overhead of Redis. */
async function countBytes(): Promise<number> {
  const hashes = await redis.hgetallBuffer(`${prefix}:records:texts`);
  const details = await redis.hgetall(`${prefix}:records:descriptions`);
  const sizes = [...Object.values(hashes), ...Object.values(details).map((text) => Buffer.from(text))];
  return sizes.reduce((sum, { length }) => sum + length, 0);
}

describe('a record', () => {
  it('is stored compressed under its hash, and returned', async () => {
    const text = JSON.stringify({ name: 'Ärger', values: Array.from({ length: 500 }, () => '1.00000000') });
    const store = open();
    expect(await store.put(text, DESCRIPTION)).toEqual({
      sha256: sha256(text),
      outcome: 'stored',
      removed: [],
    });
    expect(await store.get(sha256(text))).toBe(text);
    const [listed, ...others] = await store.list();
    expect(others).toEqual([]);
    expect(listed).toEqual({
      sha256: sha256(text),
      ...DESCRIPTION,
      bytes: Buffer.byteLength(text),
      compressedBytes: expect.any(Number),
      storedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(listed?.compressedBytes).toBeLessThan(Buffer.byteLength(text) / 10);
  });

  it('that is stored already changes nothing', async () => {
    const store = open();
    const text = randomText();
    await store.put(text, DESCRIPTION);
    const before = [await store.usage(), await store.list()];
    expect((await store.put(text, { ...DESCRIPTION, eventId: 'other' })).outcome).toBe('already-stored');
    expect([await store.usage(), await store.list()]).toEqual(before);
  });

  it('that alone exceeds the maximum is refused, and the others stay', async () => {
    const store = open({ maxBytes: 8_192 });
    const small = randomText();
    await store.put(small, DESCRIPTION);
    const { outcome, removed } = await store.put(Array.from({ length: 9 }, randomText).join(''), DESCRIPTION);
    expect([outcome, removed]).toEqual(['too-large', []]);
    expect((await store.list()).map((each) => each.sha256)).toEqual([sha256(small)]);
  });

  it.each([
    ['is not compressed', Buffer.from('{}')],
    ['has another hash', gzipSync('{}')],
  ])('whose stored text %s is damaged', async (_, content) => {
    const hash = '0'.repeat(64);
    await redis.hset(`${prefix}:records:texts`, hash, content);
    await expect(open().get(hash)).rejects.toThrow(RecordDamagedError);
  });
});

describe('the bounds', () => {
  it('remove the oldest records when a new one needs their bytes', async () => {
    const store = open({ maxBytes: 9_000 });
    const texts = Array.from({ length: 4 }, randomText);
    const results = [];
    for (const text of texts) results.push(await store.put(text, DESCRIPTION));
    expect(results.map(({ removed }) => removed.map((each) => [each.sha256, each.reason]))).toEqual([
      [],
      [],
      [],
      [[sha256(texts[0] ?? ''), 'bytes']],
    ]);
    expect((await store.list()).map((each) => each.sha256).sort()).toEqual(texts.slice(1).map(sha256).sort());
    expect(await store.usage()).toEqual({ records: 3, storedBytes: await countBytes() });
  });

  it('hold while several replicas store at once', async () => {
    const maxBytes = 40_000;
    const connections = Array.from({ length: 4 }, () => connectRedis(server.url, { name: 'replica' }));
    try {
      await Promise.all(
        connections.map(async (connection) => {
          const store = open({ redis: connection, maxBytes });
          for (let count = 0; count < 10; count += 1) {
            await store.put(randomText(), DESCRIPTION);
            expect((await store.usage()).storedBytes).toBeLessThanOrEqual(maxBytes);
          }
        }),
      );
    } finally {
      await Promise.all(connections.map((each) => each.quit()));
    }
    const { records, storedBytes } = await open().usage();
    expect(storedBytes).toBe(await countBytes());
    expect(records).toBe(await redis.hlen(`${prefix}:records:texts`));
    // One more record would not have fitted.
    expect(storedBytes).toBeGreaterThan(maxBytes - 4_000);
  });

  it.each<[string, (store: RecordStore) => Promise<readonly Removal[]>]>([
    ['when another one is stored', async (store) => (await store.put(randomText(), DESCRIPTION)).removed],
    ['by themselves', (store) => store.prune()],
  ])('remove records that are too old, %s', async (_, remove) => {
    const store = open({ maxAgeDays: 0.05 / 86_400 });
    const { sha256: hash } = await store.put(randomText(), DESCRIPTION);
    const removed: Removal[] = [];
    await waitFor('the removal', async () => removed.push(...(await remove(store))) > 0);
    expect(removed[0]).toMatchObject({ sha256: hash, reason: 'age' });
    expect(await store.get(hash)).toBeUndefined();
    expect((await store.usage()).storedBytes).toBe(await countBytes());
  });

  it('apply after a setting was lowered', async () => {
    const texts = Array.from({ length: 3 }, randomText);
    for (const text of texts) await open().put(text, DESCRIPTION);
    expect(await open({ maxBytes: 4_000 }).prune()).toHaveLength(2);
    expect((await open().list()).map((each) => each.sha256)).toEqual([sha256(texts[2] ?? '')]);
  });

  it('of one prefix do not concern another', async () => {
    expect(await open().get('0'.repeat(64))).toBeUndefined();
    await open({ prefix: '{other}' }).put(randomText(), DESCRIPTION);
    expect(await open().list()).toEqual([]);
    expect(await open({ maxBytes: 1 }).prune()).toEqual([]);
    expect(await open({ prefix: '{other}' }).list()).toHaveLength(1);
  });
});
