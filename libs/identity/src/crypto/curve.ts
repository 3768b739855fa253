/** Signature r‖s, 64 bytes, and which of the two candidate public keys made it. */
export interface RecoverableSignature {
  readonly compact: Uint8Array;
  readonly recovery: 0 | 1;
}

/**
 * Pure, synchronous secp256k1 operations. All implementations agree and accept only low-s signatures (BIP-62 rule 5, EIP-2).
 * Bytes: digest 32, private key 32, public key 65 (uncompressed), signature 64.
 */
export interface Curve {
  readonly name: string;
  /** @throws RangeError when the key is zero, at or above the curve's order, or not 32 bytes */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Deterministic (RFC 6979). @throws RangeError as `publicKey` does, and when the digest is not 32 bytes */
  sign(digest: Uint8Array, privateKey: Uint8Array): RecoverableSignature;
  /** The signer's public key, or undefined for an invalid or high-s signature. @throws RangeError when the digest is not 32 bytes */
  recover(digest: Uint8Array, compact: Uint8Array, recovery: 0 | 1): Uint8Array | undefined;
  /** Whether the key made this low-s signature. @throws RangeError when the digest is not 32 bytes */
  verify(digest: Uint8Array, compact: Uint8Array, publicKey: Uint8Array): boolean;
}

const [DIGEST_BYTES, COMPACT_BYTES, PUBLIC_KEY_BYTES, UNCOMPRESSED] = [32, 64, 65, 4];

/**
 * Adds the input checks that libraries do differently: some accept other digest lengths, compressed public keys or
 * the hybrid form of X9.62.
 */
export function withInputChecks(library: Curve): Curve {
  return {
    name: library.name,
    publicKey: (privateKey) => library.publicKey(privateKey),
    sign: (digest, privateKey) => library.sign(requireDigest(digest), privateKey),
    recover: (digest, compact, recovery) =>
      compact.length === COMPACT_BYTES
        ? library.recover(requireDigest(digest), compact, recovery)
        : undefined,
    verify: (digest, compact, publicKey) =>
      compact.length === COMPACT_BYTES &&
      publicKey.length === PUBLIC_KEY_BYTES &&
      publicKey[0] === UNCOMPRESSED &&
      library.verify(requireDigest(digest), compact, publicKey),
  };
}

function requireDigest(digest: Uint8Array): Uint8Array {
  if (digest.length !== DIGEST_BYTES)
    throw new RangeError(`A digest has ${DIGEST_BYTES} bytes, not ${digest.length}`);
  return digest;
}
