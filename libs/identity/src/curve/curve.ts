/** Signature r‖s, 64 bytes, and which of the two candidate keys is meant. */
export interface RecoverableSignature {
  readonly compact: Uint8Array;
  readonly recovery: 0 | 1;
}

/**
 * The operations on secp256k1 that identities are made of. Pure and synchronous; every implementation gives the same answers.
 * Digests are 32 bytes, private keys 32, public keys 65 (uncompressed), compact signatures 64. Only low-s signatures (BIP-62 rule 5,
 * EIP-2) are made and accepted.
 */
export interface Curve {
  readonly name: string;
  /** @throws RangeError when the key is zero, at or above the curve's order, or not 32 bytes */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Deterministic (RFC 6979), low-s. @throws RangeError as `publicKey` does, and when the digest is not 32 bytes */
  sign(digest: Uint8Array, privateKey: Uint8Array): RecoverableSignature;
  /** The signer's public key; undefined when there is none, or when s is high. @throws RangeError when the digest is not 32 bytes */
  recover(digest: Uint8Array, compact: Uint8Array, recovery: 0 | 1): Uint8Array | undefined;
  /** False for anything but a good low-s signature by that key. @throws RangeError when the digest is not 32 bytes */
  verify(digest: Uint8Array, compact: Uint8Array, publicKey: Uint8Array): boolean;
}
