import { generateSecret, hashSecret, verifySecret } from './secret-hash.js';

/** RFC 7914 §12, third vector: scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1). */
const VECTOR = {
  algorithm: 'scrypt' as const,
  cost: 16_384,
  blockSize: 8,
  parallelization: 1,
  salt: Buffer.from('SodiumChloride').toString('base64'),
  hash: Buffer.from(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
      'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    'hex',
  ).toString('base64'),
};

describe('secrets', () => {
  it.each([
    ['pleaseletmein', true],
    ['pleaseletmeout', false],
    ['', false],
  ])('checks %j against the published vector: %s', async (candidate, expected) => {
    expect(await verifySecret(candidate, VECTOR)).toBe(expected);
  });

  it('are each hashed with their own salt', async () => {
    const [a, b] = await Promise.all([hashSecret('secret'), hashSecret('secret')]);
    expect(a.salt).not.toBe(b.salt);
    expect(a.hash).not.toBe(b.hash);
    expect(await verifySecret('secret', a)).toBe(true);
  });

  it('have 256 random bits', () => {
    expect(Buffer.from(generateSecret(), 'base64url')).toHaveLength(32);
    expect(generateSecret()).not.toBe(generateSecret());
  });
});
