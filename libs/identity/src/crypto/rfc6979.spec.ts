import { createHash } from 'node:crypto';
import { SigningKey } from 'ethers';
import { nonceVectors, signatureVectors } from '../testing/vectors.js';
import type { Curve } from './curve.js';
import { loadNativeCurve } from './native-curve.js';
import { nobleCurve } from './noble-curve.js';

// SEC 2 §2.4.1: the curve's order.
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

const native = loadNativeCurve();
const curves: Curve[] = native === undefined ? [nobleCurve] : [nobleCurve, native];

describe.each(curves)('deterministic signatures of $name', (curve) => {
  it.each(nonceVectors())(
    'use the published nonce for "$message" with key $key',
    ({ message, key, nonce }) => {
      const digest = createHash('sha256').update(message, 'utf8').digest();
      const made = curve.sign(digest, Buffer.from(key, 'hex'));
      expect({ compact: hex(made.compact), recovery: made.recovery }).toEqual(
        ecdsa(BigInt(`0x${hex(digest)}`), BigInt(`0x${key}`), nonce),
      );
    },
  );

  it.each(signatureVectors())('match the published signature $signature', ({ key, digest, signature }) => {
    expect(hex(curve.sign(Buffer.from(digest, 'hex'), Buffer.from(key, 'hex')).compact)).toBe(signature);
  });

  it.each(signatureVectors())('are verified and give their signer: $signature', (vector) => {
    const [digest, compact] = [vector.digest, vector.signature].map((text) => Buffer.from(text, 'hex'));
    if (digest === undefined || compact === undefined) throw new Error('the vector lacks a field');
    const publicKey = Buffer.from(new SigningKey(`0x${vector.key}`).publicKey.slice(2), 'hex');
    expect(curve.verify(digest, compact, publicKey)).toBe(true);
    const signers = ([0, 1] as const).map((recovery) => hex(curve.recover(digest, compact, recovery) ?? []));
    expect(signers).toContain(hex(publicKey));
  });
});

/** SEC 1 §4.1.3 from a given nonce, with the lower s and the parity of the point with x = r. */
function ecdsa(digest: bigint, key: bigint, nonce: string): { compact: string; recovery: number } {
  const point = new SigningKey(`0x${nonce}`).publicKey.slice(4);
  const [r, y] = [BigInt(`0x${point.slice(0, 64)}`) % ORDER, BigInt(`0x${point.slice(64)}`)];
  const s = (inverse(BigInt(`0x${nonce}`)) * (digest + r * key)) % ORDER;
  const isHigh = s > ORDER / 2n;
  const odd = Number(y % 2n);
  return { compact: digits(r) + digits(isHigh ? ORDER - s : s), recovery: isHigh ? 1 - odd : odd };
}

/** Modular inverse by Fermat's little theorem; the order is prime. */
function inverse(value: bigint): bigint {
  let [result, base] = [1n, value % ORDER];
  for (let power = ORDER - 2n; power > 0n; power /= 2n) {
    if (power % 2n === 1n) result = (result * base) % ORDER;
    base = (base * base) % ORDER;
  }
  return result;
}

function digits(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function hex(bytes: Uint8Array | readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}
