import { createHash } from 'node:crypto';
import { SigningKey } from 'ethers';
import { nonceVectors, signatureVectors } from '../../test/vectors.js';
import type { Curve } from './curve.js';
import { loadNativeCurve } from './load-native-curve.js';
import { nobleCurve } from './noble-curve.js';

// SEC 2 §2.4.1: the curve's order.
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

const native = loadNativeCurve();
const curves: Curve[] = native === undefined ? [nobleCurve] : [nobleCurve, native];

describe.each(curves)('deterministic signatures of $name', (curve) => {
  it('use the published nonces', () => {
    const wrong = nonceVectors().filter(({ message, key, nonce }) => {
      const digest = createHash('sha256').update(message, 'utf8').digest();
      const { compact, recovery } = curve.sign(digest, Buffer.from(key, 'hex'));
      const expected = ecdsa(BigInt(`0x${hex(digest)}`), BigInt(`0x${key}`), nonce);
      return hex(compact) !== expected.compact || recovery !== expected.recovery;
    });
    expect(wrong).toEqual([]);
    expect(nonceVectors().length).toBeGreaterThan(0);
  });

  it('match the published signatures', () => {
    const signatures = signatureVectors().map(({ key, digest }) =>
      hex(curve.sign(Buffer.from(digest, 'hex'), Buffer.from(key, 'hex')).compact),
    );
    expect(signatures).toEqual(signatureVectors().map(({ signature }) => signature));
    expect(signatures.length).toBeGreaterThan(0);
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
