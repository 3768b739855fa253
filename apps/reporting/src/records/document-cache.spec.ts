import { DocumentCache } from './document-cache.js';

const MIB = 1024 * 1024;
const key = { scope: 'of WPGENCO', query: 'summary' };

/** A database query whose result the test provides. */
function slow(): { find: () => Promise<string>; respond: (document: string) => void; calls: () => number } {
  let respond: (document: string) => void = () => undefined;
  let calls = 0;
  const document = new Promise<string>((resolve) => (respond = resolve));
  return {
    find: () => {
      calls++;
      return document;
    },
    respond: (text) => respond(text),
    calls: () => calls,
  };
}
const quick = (document: string) => () => Promise.resolve(document);

describe('DocumentCache', () => {
  let cache: DocumentCache;
  beforeEach(() => {
    cache = new DocumentCache(MIB);
  });

  it('queries once for a document that is read twice, or that does not exist', async () => {
    await cache.read(key, quick('old'));
    expect(await cache.read(key, quick('new'))).toBe('old');
    const nothing = { ...key, query: 'none' };
    await cache.read<string | undefined>(nothing, () => Promise.resolve(undefined));
    expect(await cache.read(nothing, quick('new'))).toBeUndefined();
  });

  it('queries once for concurrent reads', async () => {
    const reading = slow();
    const responses = [cache.read(key, reading.find), cache.read(key, reading.find)];
    reading.respond('one');
    expect(await Promise.all(responses)).toEqual(['one', 'one']);
    expect(reading.calls()).toBe(1);
  });

  it('invalidates a scope and no other', async () => {
    const other = { ...key, scope: 'of OTHER' };
    await cache.read(key, quick('old'));
    await cache.read(other, quick('old'));
    cache.invalidate([key.scope]);
    expect(await cache.read(key, quick('new'))).toBe('new');
    expect(await cache.read(other, quick('new'))).toBe('old');
  });

  it('stores no result of a read that began before the load', async () => {
    const reading = slow();
    const outdated = cache.read(key, reading.find);
    cache.invalidate([key.scope]);
    reading.respond('old');
    expect(await outdated).toBe('old');
    expect(await cache.read(key, quick('new'))).toBe('new');
  });

  it('joins no read after the load with one from before it', async () => {
    const before = slow();
    const outdated = cache.read(key, before.find);
    cache.invalidate([key.scope]);
    const current = cache.read(key, quick('new'));
    before.respond('old');
    expect([await outdated, await current]).toEqual(['old', 'new']);
    expect(await cache.read(key, quick('newest'))).toBe('new');
  });

  it('stores no failure', async () => {
    await expect(cache.read(key, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.read(key, quick('there'))).toBe('there');
  });

  it('stores nothing while it is disabled, nor a read that was pending when it was disabled', async () => {
    const reading = slow();
    const outdated = cache.read(key, reading.find);
    cache.disable();
    reading.respond('old');
    await outdated;
    await cache.read(key, quick('while disabled'));
    cache.enable();
    expect(await cache.read(key, quick('new'))).toBe('new');
    expect(await cache.read(key, quick('newer'))).toBe('new');
  });

  it('keeps its bound in bytes and evicts the least recently read document', async () => {
    const document = 'x'.repeat(100_000);
    for (let day = 0; day < 20; day++) await cache.read({ ...key, query: String(day) }, quick(document));
    expect(cache.bytes).toBeLessThanOrEqual(MIB);
    expect(await cache.read({ ...key, query: '19' }, quick('new'))).toBe(document);
    expect(await cache.read({ ...key, query: '0' }, quick('new'))).toBe('new');
  });

  it('does not store a document that would evict most of the others', async () => {
    await cache.read({ ...key, query: 'small' }, quick('small'));
    await cache.read(key, quick('x'.repeat(MIB / 4)));
    expect(await cache.read(key, quick('again'))).toBe('again');
    expect(await cache.read({ ...key, query: 'small' }, quick('new'))).toBe('small');
  });
});
