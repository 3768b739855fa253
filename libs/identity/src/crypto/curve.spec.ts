import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SigningKey } from 'ethers';
import { compactFromDer } from '../../test/der.js';
import { ecdsaVectors } from '../../test/vectors.js';
import { withLowS, type Curve } from './curve.js';
import { loadNativeCurve } from './load-native-curve.js';
import { nobleCurve } from './noble-curve.js';

// SEC 2 §2.4.1: the field's prime and the curve's order.
const FIELD = BigInt('0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f');
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

const native = loadNativeCurve();
const curves: Curve[] = native === undefined ? [nobleCurve] : [nobleCurve, native];
/** For what does not depend on the implementation, because noble takes 30 times as long. */
const fastest = native ?? nobleCurve;

const P1363_VECTORS = 'ecdsa_secp256k1_sha256_p1363_test.json';
const LOW_S_VECTORS = 'ecdsa_secp256k1_sha256_bitcoin_test.json';

it('the native binding loads where the package has one for this platform', () => {
  const packageFolder = dirname(createRequire(import.meta.url).resolve('secp256k1/package.json'));
  const prebuilt = existsSync(join(packageFolder, 'prebuilds', `${process.platform}-${process.arch}`));
  expect(curves.map(({ name }) => name)).toEqual(prebuilt ? ['noble', 'native'] : ['noble']);
});

it('without the native binding noble is used, and never the other fallback of the package', async () => {
  const require = createRequire(import.meta.url);
  const binding = require.resolve('secp256k1/bindings.js');
  const loader = require.resolve('node-gyp-build', { paths: [dirname(binding)] });
  const loaded = [binding, loader].map((path) => [path, require.cache[path]] as const);
  for (const [path] of loaded) delete require.cache[path];
  const failing = {
    exports: () => {
      throw new Error('no build for this platform');
    },
  };
  require.cache[loader] = failing as unknown as NodeModule;
  try {
    expect(loadNativeCurve()).toBeUndefined();
    const again = './primitives.js?without-binding';
    const { curve } = (await import(again)) as typeof import('./primitives.js');
    expect(curve).toBe(nobleCurve);
    expect(Object.keys(require.cache).filter((path) => path.includes('elliptic'))).toEqual([]);
    expect(() => require('elliptic') as unknown).toThrow('Cannot find');
  } finally {
    for (const [path, module] of loaded) {
      if (module === undefined) delete require.cache[path];
      else require.cache[path] = module;
    }
  }
});

describe.each(curves)('the curve $name', (curve) => {
  it.each([
    // The generator: SEC 2 §2.4.1.
    [
      1n,
      '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
    ],
    // The negative of the generator: the same x, the other y.
    [
      ORDER - 1n,
      '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798b7c52588d95c3b9aa25b0403f1eef75702e84bb7597aabe663b82f6f04ef2777',
    ],
  ])('makes the public key of %s', (key, expected) => {
    expect(Buffer.from(curve.publicKey(bytes32(key))).toString('hex')).toBe(expected);
  });

  it.each([
    ['zero', bytes32(0n)],
    ["the curve's order", bytes32(ORDER)],
    ['the largest number', Buffer.alloc(32, 0xff)],
    ['31 bytes', Buffer.alloc(31, 1)],
    ['33 bytes', Buffer.alloc(33, 1)],
    ['no bytes', Buffer.alloc(0)],
  ])('refuses %s as a private key', (_, key) => {
    expect(() => curve.publicKey(key)).toThrow(RangeError);
    expect(() => curve.sign(sha256('x'), key)).toThrow(RangeError);
  });

  it.each([0, 31, 33, 64])('refuses %s bytes as a digest', (length) => {
    const [key, digest] = [bytes32(7n), Buffer.alloc(length, 1)];
    const { compact } = curve.sign(sha256('x'), key);
    expect(() => curve.sign(digest, key)).toThrow(RangeError);
    expect(() => curve.recover(digest, compact, 0)).toThrow(RangeError);
    expect(() => curve.verify(digest, compact, curve.publicKey(key))).toThrow(RangeError);
  });

  it('refuses the same signature with high s', () => {
    const [key, digest] = [bytes32(7n), sha256('high s')];
    const { compact, recovery } = curve.sign(digest, key);
    const high = withNegatedS(compact);
    expect(curve.verify(digest, high, curve.publicKey(key))).toBe(false);
    expect(curve.recover(digest, high, recovery === 0 ? 1 : 0)).toBeUndefined();
  });

  it.each([
    ['r is zero', bytes32(0n), bytes32(1n)],
    ['s is zero', bytes32(1n), bytes32(0n)],
    ['r is the order', bytes32(ORDER), bytes32(1n)],
    ['s is the order', bytes32(1n), bytes32(ORDER)],
    ['r is not the x of any point', bytes32(5n), bytes32(1n)],
    ['it is one byte too short', bytes32(1n), Buffer.alloc(31, 1)],
    ['it is one byte too long', bytes32(1n), Buffer.alloc(33, 1)],
    ['it is empty', Buffer.alloc(0), Buffer.alloc(0)],
  ])('returns a result and does not throw when %s', (_, r, s) => {
    const signature = Buffer.concat([r, s]);
    expect(curve.recover(sha256('x'), signature, 0)).toBeUndefined();
    expect(curve.recover(sha256('x'), signature, 1)).toBeUndefined();
    expect(curve.verify(sha256('x'), signature, curve.publicKey(bytes32(7n)))).toBe(false);
  });

  it.each([
    ['another digest', { digest: sha256('other') }],
    ['another key', { publicKey: nobleCurve.publicKey(bytes32(8n)) }],
    ['an invalid public key', { publicKey: Buffer.alloc(65, 4) }],
    ['an empty public key', { publicKey: Buffer.alloc(0) }],
    [
      'the compressed key',
      { publicKey: Buffer.from(new SigningKey(bytes32(7n)).compressedPublicKey.slice(2), 'hex') },
    ],
    ['the hybrid key, even', { publicKey: hybrid(6) }],
    ['the hybrid key, odd', { publicKey: hybrid(7) }],
  ])('refuses %s', (_, change) => {
    const digest = sha256('x');
    const right = { digest, publicKey: curve.publicKey(bytes32(7n)) };
    const { compact } = curve.sign(digest, bytes32(7n));
    const given = { ...right, ...change };
    expect(curve.verify(right.digest, compact, right.publicKey)).toBe(true);
    expect(curve.verify(given.digest, compact, given.publicKey)).toBe(false);
  });

  it('agrees with every Wycheproof vector in r‖s form, except that it refuses high s', () => {
    const { count, vectors } = ecdsaVectors(P1363_VECTORS);
    const wrong = vectors.filter(({ message, signature, publicKey, valid }) => {
      const expected = valid && !hasHighS(signature);
      return curve.verify(sha256(message), signature, publicKey) !== expected;
    });
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(count);
  });

  it('agrees with every low-s Wycheproof vector', () => {
    const { count, vectors } = ecdsaVectors(LOW_S_VECTORS);
    const wrong = vectors.filter(({ message, signature, publicKey, valid }) => {
      const compact = compactFromDer(signature);
      return (compact !== undefined && curve.verify(sha256(message), compact, publicKey)) !== valid;
    });
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(count);
  });
});

it('withLowS makes every valid Wycheproof vector with high s valid, and no invalid one', () => {
  const complete = ecdsaVectors(P1363_VECTORS).vectors.filter(
    ({ signature }) => signature.length === 64 && hasHighS(signature),
  );
  const wrong = complete.filter(
    ({ message, signature, publicKey, valid }) =>
      fastest.verify(sha256(message), withLowS(signature), publicKey) !== valid,
  );
  expect(wrong).toEqual([]);
  expect(new Set(complete.map(({ valid }) => valid))).toEqual(new Set([true, false]));
});

it('the signer of every valid low-s Wycheproof vector is recovered', () => {
  const lost = ecdsaVectors(LOW_S_VECTORS).vectors.filter(({ message, signature, publicKey, valid }) => {
    const compact = compactFromDer(signature);
    if (!valid || compact === undefined) return false;
    // Where r + order is below the prime, the point may be that one, which v 27 and 28 cannot express.
    if (toBigInt(compact.subarray(0, 32)) < FIELD - ORDER) return false;
    const keys = ([0, 1] as const).map((recovery) => fastest.recover(sha256(message), compact, recovery));
    return !keys.some((key) => key !== undefined && hex(key) === hex(publicKey));
  });
  expect(lost).toEqual([]);
});

for (const curve of curves.slice(1))
  it(`the curve ${curve.name} recovers the same key as noble, also from invalid vectors`, () => {
    // Each third: noble takes two milliseconds a vector.
    const vectors = ecdsaVectors(P1363_VECTORS).vectors.filter(({ id }) => id % 3 === 0);
    const different = vectors.filter(({ id, message, signature }) => {
      const recovery = id % 2 === 0 ? 0 : 1;
      const [ours, reference] = [curve, nobleCurve].map((each) =>
        each.recover(sha256(message), signature, recovery),
      );
      return hex(ours ?? []) !== hex(reference ?? []);
    });
    expect(different).toEqual([]);
    expect(new Set(vectors.map(({ valid }) => valid))).toEqual(new Set([true, false]));
  });

function sha256(message: string | Uint8Array): Uint8Array {
  return createHash('sha256').update(message).digest();
}

/** The public key of 7 in the hybrid form of X9.62. */
function hybrid(first: 6 | 7): Uint8Array {
  return Buffer.concat([Buffer.of(first), nobleCurve.publicKey(bytes32(7n)).subarray(1)]);
}

function hasHighS(signature: Uint8Array): boolean {
  return toBigInt(signature.subarray(32)) > ORDER / 2n;
}

/** The other s that satisfies the same equation. */
function withNegatedS(compact: Uint8Array): Uint8Array {
  return Buffer.concat([compact.subarray(0, 32), bytes32(ORDER - toBigInt(compact.subarray(32)))]);
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${hex(bytes) || '0'}`);
}

function bytes32(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

function hex(bytes: Uint8Array | readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}
