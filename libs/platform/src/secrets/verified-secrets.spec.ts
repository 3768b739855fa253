import { VerifiedSecrets } from './verified-secrets.js';

describe('VerifiedSecrets', () => {
  it('knows what was right for a hash, and nothing else', () => {
    const verified = new VerifiedSecrets();
    verified.remember('secret', 'hash');
    expect(verified.has('secret', 'hash')).toBe(true);
    expect(verified.has('another', 'hash')).toBe(false);
    expect(verified.has('secret', 'the next hash')).toBe(false);
  });

  it('keeps no more than its capacity, and forgets the longest unused', () => {
    const verified = new VerifiedSecrets(2);
    verified.remember('a', 'hash');
    verified.remember('b', 'hash');
    verified.has('a', 'hash');
    verified.remember('c', 'hash');
    expect(verified.size).toBe(2);
    expect(['a', 'b', 'c'].map((secret) => verified.has(secret, 'hash'))).toEqual([true, false, true]);
  });
});
