import { VerifiedSecretCache } from './verified-secret-cache.js';

describe('VerifiedSecretCache', () => {
  it('knows the secret that matched a hash, and no other', () => {
    const cache = new VerifiedSecretCache();
    cache.add('secret', 'hash');
    expect(cache.has('secret', 'hash')).toBe(true);
    expect(cache.has('another', 'hash')).toBe(false);
    expect(cache.has('secret', 'the next hash')).toBe(false);
  });

  it('keeps no more than its capacity, and evicts the least recently used entry', () => {
    const cache = new VerifiedSecretCache(2);
    cache.add('a', 'hash');
    cache.add('b', 'hash');
    cache.has('a', 'hash');
    cache.add('c', 'hash');
    expect(cache.size).toBe(2);
    expect(['a', 'b', 'c'].map((secret) => cache.has(secret, 'hash'))).toEqual([true, false, true]);
  });
});
