import { DocumentCache } from './document-cache.js';

const MIB = 1024 * 1024;
const key = { scope: 'of WPGENCO', question: 'summary' };

/** A reading of the database that answers when it is told to. */
function slow(): { find: () => Promise<string>; answer: (document: string) => void; asked: () => number } {
  let answer: (document: string) => void = () => undefined;
  let asked = 0;
  const document = new Promise<string>((resolve) => (answer = resolve));
  return {
    find: () => {
      asked++;
      return document;
    },
    answer: (text) => answer(text),
    asked: () => asked,
  };
}
const quick = (document: string) => () => Promise.resolve(document);

describe('DocumentCache', () => {
  let cache: DocumentCache;
  beforeEach(() => {
    cache = new DocumentCache(MIB);
  });

  it('asks once for what is read twice, and knows that there is nothing', async () => {
    await cache.read(key, quick('old'));
    expect(await cache.read(key, quick('new'))).toBe('old');
    const nothing = { ...key, question: 'none' };
    await cache.read<string | undefined>(nothing, () => Promise.resolve(undefined));
    expect(await cache.read(nothing, quick('new'))).toBeUndefined();
  });

  it('asks once for what many read at the same time', async () => {
    const reading = slow();
    const answers = [cache.read(key, reading.find), cache.read(key, reading.find)];
    reading.answer('one');
    expect(await Promise.all(answers)).toEqual(['one', 'one']);
    expect(reading.asked()).toBe(1);
  });

  it('forgets a scope that was loaded into, and no other', async () => {
    const other = { ...key, scope: 'of OTHER' };
    await cache.read(key, quick('old'));
    await cache.read(other, quick('old'));
    cache.forget([key.scope]);
    expect(await cache.read(key, quick('new'))).toBe('new');
    expect(await cache.read(other, quick('new'))).toBe('old');
  });

  it('keeps nothing of a reading that began before the load', async () => {
    const reading = slow();
    const outdated = cache.read(key, reading.find);
    cache.forget([key.scope]);
    reading.answer('old');
    expect(await outdated).toBe('old');
    expect(await cache.read(key, quick('new'))).toBe('new');
  });

  it('lets nobody who asks after the load join a reading from before it', async () => {
    const before = slow();
    const outdated = cache.read(key, before.find);
    cache.forget([key.scope]);
    const current = cache.read(key, quick('new'));
    before.answer('old');
    expect([await outdated, await current]).toEqual(['old', 'new']);
    expect(await cache.read(key, quick('newest'))).toBe('new');
  });

  it('keeps nothing of a failure', async () => {
    await expect(cache.read(key, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.read(key, quick('there'))).toBe('there');
  });

  it('keeps nothing while it is off, nor what was being read when it went off', async () => {
    const reading = slow();
    const outdated = cache.read(key, reading.find);
    cache.switchOff();
    reading.answer('old');
    await outdated;
    await cache.read(key, quick('while off'));
    cache.switchOn();
    expect(await cache.read(key, quick('new'))).toBe('new');
    expect(await cache.read(key, quick('newer'))).toBe('new');
  });

  it('holds no more bytes than it may, and gives up what was read longest ago', async () => {
    const document = 'x'.repeat(100_000);
    for (let day = 0; day < 20; day++) await cache.read({ ...key, question: String(day) }, quick(document));
    expect(cache.bytes).toBeLessThanOrEqual(MIB);
    expect(await cache.read({ ...key, question: '19' }, quick('new'))).toBe(document);
    expect(await cache.read({ ...key, question: '0' }, quick('new'))).toBe('new');
  });

  it('does not keep a document that alone would cost most of the others', async () => {
    await cache.read({ ...key, question: 'small' }, quick('small'));
    await cache.read(key, quick('x'.repeat(MIB / 4)));
    expect(await cache.read(key, quick('again'))).toBe('again');
    expect(await cache.read({ ...key, question: 'small' }, quick('new'))).toBe('small');
  });
});
