import * as secp from '@noble/secp256k1';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Curve } from './curve.js';
import { strictCurve } from './strict-curve.js';

// Sign synchronously: RFC 6979 needs HMAC-SHA-256.
secp.hashes.sha256 = sha256;
secp.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message);

const DIGEST = { prehash: false } as const;

/** The reference implementation: audited JavaScript, no dependency on the platform. */
export const nobleCurve: Curve = strictCurve({
  name: 'noble',
  publicKey: (privateKey) => {
    if (!secp.utils.isValidSecretKey(privateKey)) throw new RangeError('not a private key of secp256k1');
    return secp.getPublicKey(privateKey, false);
  },
  sign: (digest, privateKey) => {
    if (!secp.utils.isValidSecretKey(privateKey)) throw new RangeError('not a private key of secp256k1');
    const [recovery = 0, ...compact] = secp.sign(digest, privateKey, {
      ...DIGEST,
      lowS: true,
      format: 'recovered',
    });
    return { compact: Uint8Array.from(compact), recovery: recovery === 1 ? 1 : 0 };
  },
  recover: (digest, compact, recovery) =>
    verdict(() => {
      if (secp.Signature.fromBytes(compact, 'compact').hasHighS()) return undefined;
      const key = secp.recoverPublicKey(Uint8Array.of(recovery, ...compact), digest, DIGEST);
      return secp.Point.fromBytes(key).toBytes(false);
    }),
  verify: (digest, compact, publicKey) =>
    verdict(() => secp.verify(compact, digest, publicKey, { ...DIGEST, lowS: true })) ?? false,
});

/** A signature that is none makes the library throw; for us that is an answer, not a failure. */
function verdict<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
