import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import type { Curve } from './curve.js';
import { loadNativeCurve } from './load-native-curve.js';
import { nobleCurve } from './noble-curve.js';

// The same inputs on every run: a chain of hashes from a fixed seed.
const ROUNDS = Array.from({ length: 24 }, (_, round) => ({
  key: seeded(`key ${round}`),
  message: seeded(`message ${round}`),
  digest: createHash('sha256')
    .update(seeded(`message ${round}`))
    .digest(),
}));

const native = loadNativeCurve();
const curves: Curve[] = native === undefined ? [nobleCurve] : [nobleCurve, native];

/** The limits of a valid key and of a low s. */
const LIMITS = [
  '0'.repeat(64),
  '1'.padStart(64, '0'),
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0',
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1',
  'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140',
  'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
  'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364142',
  'f'.repeat(64),
].map((text) => new Uint8Array(Buffer.from(text, 'hex')));
const ONE = new Uint8Array(Buffer.from('1'.padStart(64, '0'), 'hex'));
const scalars = fc.uint8Array({ minLength: 32, maxLength: 32 });

// The reference agrees with itself.
for (const curve of curves.slice(1))
  describe(curve.name, () => {
    it('gives the same public key, signature and signer as the reference', () => {
      for (const { key, digest, message } of ROUNDS.slice(0, 8)) {
        const expected = nobleCurve.sign(digest, key);
        const made = curve.sign(digest, key);
        expect(hex(curve.publicKey(key))).toBe(hex(nobleCurve.publicKey(key)));
        expect([hex(made.compact), made.recovery]).toEqual([hex(expected.compact), expected.recovery]);
        const noise = Buffer.concat([key, message]);
        for (const signature of [made.compact, noise])
          for (const recovery of [0, 1] as const)
            expect(hex(curve.recover(digest, signature, recovery))).toBe(
              hex(nobleCurve.recover(digest, signature, recovery)),
            );
      }
    });

    it('gives the same results as the reference for almost valid signatures', () => {
      fc.assert(
        fc.property(scalars, scalars, fc.nat(511), fc.boolean(), (key, digest, bit, flip) => {
          fc.pre(isKey(key));
          const expected = nobleCurve.sign(digest, key);
          expect(curve.sign(digest, key)).toEqual(expected);
          const near = Buffer.from(expected.compact);
          if (flip) near[bit >> 3] = (near[bit >> 3] ?? 0) ^ (1 << (bit % 8));
          const publicKey = nobleCurve.publicKey(key);
          expect(curve.verify(digest, near, publicKey)).toBe(!flip);
          expect(hex(curve.recover(digest, near, expected.recovery))).toBe(
            hex(nobleCurve.recover(digest, near, expected.recovery)),
          );
        }),
        {
          numRuns: 28,
          // Each limit as a digest under the key 1, and as a key where it is one.
          examples: LIMITS.flatMap((limit) => [
            [ONE, limit, 0, false],
            [limit, limit, 0, false],
          ]),
        },
      );
    });
  });

describe.each(curves)('$name', (curve) => {
  it("makes signatures that Node's OpenSSL verifies", () => {
    for (const { key, message, digest } of ROUNDS.slice(0, 8)) {
      const { compact } = curve.sign(digest, key);
      const opensslKey = { key: publicKeyObject(curve.publicKey(key)), dsaEncoding: 'ieee-p1363' } as const;
      expect(verify('sha256', message, opensslKey, compact)).toBe(true);
    }
  });

  it("verifies signatures of Node's OpenSSL, only those with low s", () => {
    const lows = ROUNDS.map(({ key, message, digest }) => {
      const publicKey = curve.publicKey(key);
      const signature = sign('sha256', message, {
        key: privateKeyObject(key, publicKey),
        dsaEncoding: 'ieee-p1363',
      });
      // 2^255 instead of half the order: the two differ by less than 2^-127 of the range.
      const low = (signature[32] ?? 0) < 0x80;
      expect(curve.verify(digest, signature, publicKey)).toBe(low);
      return low;
    });
    // OpenSSL makes both.
    expect(new Set(lows)).toEqual(new Set([true, false]));
  });
});

function isKey(bytes: Uint8Array): boolean {
  try {
    return nobleCurve.publicKey(bytes).length > 0;
  } catch {
    return false;
  }
}

function seeded(text: string): Buffer {
  return createHash('sha256').update(`agreement of curves: ${text}`).digest();
}

function hex(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString('hex');
}

function jwk(publicKey: Uint8Array): { kty: string; crv: string; x: string; y: string } {
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)].map((part) =>
    Buffer.from(part).toString('base64url'),
  );
  return { kty: 'EC', crv: 'secp256k1', x: x ?? '', y: y ?? '' };
}

function publicKeyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ format: 'jwk', key: jwk(publicKey) });
}

function privateKeyObject(key: Buffer, publicKey: Uint8Array): KeyObject {
  return createPrivateKey({ format: 'jwk', key: { ...jwk(publicKey), d: key.toString('base64url') } });
}
