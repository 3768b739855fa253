import type { Curve } from './curve.js';

const [DIGEST, COMPACT, PUBLIC_KEY, UNCOMPRESSED] = [32, 64, 65, 4];

/**
 * Holds an implementation to the contract where libraries differ: some take digests of other lengths, some also compressed public keys
 * and the hybrid form of X9.62.
 */
export function strictCurve(library: Curve): Curve {
  return {
    name: library.name,
    publicKey: (privateKey) => library.publicKey(privateKey),
    sign: (digest, privateKey) => library.sign(digestOnly(digest), privateKey),
    recover: (digest, compact, recovery) =>
      compact.length === COMPACT ? library.recover(digestOnly(digest), compact, recovery) : undefined,
    verify: (digest, compact, publicKey) =>
      compact.length === COMPACT &&
      publicKey.length === PUBLIC_KEY &&
      publicKey[0] === UNCOMPRESSED &&
      library.verify(digestOnly(digest), compact, publicKey),
  };
}

function digestOnly(digest: Uint8Array): Uint8Array {
  if (digest.length !== DIGEST) throw new RangeError(`a digest has ${DIGEST} bytes, not ${digest.length}`);
  return digest;
}
