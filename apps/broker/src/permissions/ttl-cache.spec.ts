import { TtlCache } from './ttl-cache.js';

/** A cache whose source and clock the test controls. */
function createCache() {
  const fetches: { key: string; resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const state = { now: 1, isNotified: true };
  const cache = new TtlCache<string>(
    (key) =>
      new Promise((resolve, reject) => {
        fetches.push({ key, resolve, reject });
      }),
    () => state.isNotified,
    () => state.now,
  );
  return { fetches, state, cache };
}

describe('the TTL cache', () => {
  it('fetches once for all callers within the TTL, and again afterwards', async () => {
    const { fetches, state, cache } = createCache();
    const [one, two] = [cache.get('k'), cache.get('k')];
    fetches[0]?.resolve('a');
    expect([await one, await two]).toEqual(['a', 'a']);
    state.now = 1_001;
    expect([await cache.get('k'), fetches.length]).toEqual(['a', 1]);
    state.now = 1_002;
    void cache.get('k');
    expect(fetches).toHaveLength(2);
  });

  it.each([['k'], [undefined]])(
    'fetches again after the eviction of %s, even while a fetch is in flight',
    async (key) => {
      const { fetches, cache } = createCache();
      const before = cache.get('k');
      cache.evict(key);
      const after = cache.get('k');
      fetches[1]?.resolve('new');
      fetches[0]?.resolve('old');
      expect([await before, await after, await cache.get('k')]).toEqual(['old', 'new', 'new']);
    },
  );

  it('keeps an entry when another key is evicted', async () => {
    const { fetches, cache } = createCache();
    const first = cache.get('k');
    fetches[0]?.resolve('a');
    await first;
    cache.evict('other');
    expect([await cache.get('k'), fetches.length]).toEqual(['a', 1]);
  });

  it('caches nothing while change notifications are not received', () => {
    const { fetches, state, cache } = createCache();
    void cache.get('k');
    state.isNotified = false;
    void cache.get('k');
    void cache.get('k');
    expect(fetches).toHaveLength(3);
  });

  it('does not cache a failure', async () => {
    const { fetches, cache } = createCache();
    const failing = cache.get('k');
    fetches[0]?.reject(new Error('unreachable'));
    await expect(failing).rejects.toThrow('unreachable');
    void cache.get('k');
    expect(fetches).toHaveLength(2);
  });

  it('holds at most 10,000 entries', () => {
    const { fetches, cache } = createCache();
    for (let key = 0; key < 10_001; key += 1) void cache.get(String(key));
    void cache.get('1');
    expect(fetches).toHaveLength(10_001);
    void cache.get('0');
    expect(fetches).toHaveLength(10_002);
  });
});
