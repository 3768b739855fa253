import * as secp from '@noble/secp256k1';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { withInputChecks, type Curve } from './curve.js';

// The library needs these for synchronous signing (RFC 6979).
secp.hashes.sha256 = sha256;
secp.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message);

const DIGEST = { prehash: false } as const;

/** The reference implementation: audited JavaScript that runs on every platform. */
export const nobleCurve: Curve = withInputChecks({
  name: 'noble',
  publicKey: (privateKey) => {
    assertPrivateKey(privateKey);
    return secp.getPublicKey(privateKey, false);
  },
  sign: (digest, privateKey) => {
    assertPrivateKey(privateKey);
    const [recovery = 0, ...compact] = secp.sign(digest, privateKey, {
      ...DIGEST,
      lowS: true,
      format: 'recovered',
    });
    return { compact: Uint8Array.from(compact), recovery: recovery === 1 ? 1 : 0 };
  },
  // The library throws for an invalid signature; the contract returns a result.
  recover: (digest, compact, recovery) => {
    try {
      if (secp.Signature.fromBytes(compact, 'compact').hasHighS()) return undefined;
      const key = secp.recoverPublicKey(Uint8Array.of(recovery, ...compact), digest, DIGEST);
      return secp.Point.fromBytes(key).toBytes(false);
    } catch {
      return undefined;
    }
  },
  verify: (digest, compact, publicKey) => {
    try {
      return secp.verify(compact, digest, publicKey, { ...DIGEST, lowS: true });
    } catch {
      return false;
    }
  },
});

function assertPrivateKey(privateKey: Uint8Array): void {
  if (!secp.utils.isValidSecretKey(privateKey)) throw new RangeError('Not a private key of secp256k1');
}
