import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

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

// The curve's order (SEC 2 §2.4.1) and half of it, the highest low s; big-endian.
const ORDER = hexToBytes('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
const HALF_ORDER = hexToBytes('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0');

/** Whether s of a signature of 64 bytes is low. */
export function hasLowS(compact: Uint8Array): boolean {
  return compare(HALF_ORDER, compact.subarray(32, 64)) >= 0;
}

/**
 * The signature of 64 bytes with low s, which is valid for the same digests and keys. A signature whose s is low, or
 * not below the order, is returned unchanged.
 */
export function withLowS(compact: Uint8Array): Uint8Array {
  if (hasLowS(compact) || compare(ORDER, compact.subarray(32, 64)) <= 0) return compact;
  return concatBytes(compact.subarray(0, 32), subtract(ORDER, compact.subarray(32)));
}

/** RFC 6979 §3.2 d reduces the digest by the order (bits2octets). */
export function reduceByOrder(digest: Uint8Array): Uint8Array {
  return compare(ORDER, digest) > 0 ? digest : subtract(digest, ORDER);
}

/** Positive when the first of two big-endian numbers of 32 bytes is greater, negative when the second is. */
function compare(one: Uint8Array, other: Uint8Array): number {
  for (let index = 0; index < one.length; index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The difference of two numbers of 32 bytes. */
function subtract(one: Uint8Array, other: Uint8Array): Uint8Array {
  return hexToBytes((toBigInt(one) - toBigInt(other)).toString(16).padStart(64, '0'));
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}

/**
 * Adds the input checks that libraries do differently: some accept other digest lengths, compressed public keys or
 * the hybrid form of X9.62.
 */
export function withInputChecks(library: Curve): Curve {
  return {
    name: library.name,
    publicKey: (privateKey) => library.publicKey(privateKey),
    sign: (digest, privateKey) => library.sign(assertDigest(digest), privateKey),
    recover: (digest, compact, recovery) =>
      compact.length === COMPACT_BYTES ? library.recover(assertDigest(digest), compact, recovery) : undefined,
    verify: (digest, compact, publicKey) =>
      compact.length === COMPACT_BYTES &&
      publicKey.length === PUBLIC_KEY_BYTES &&
      publicKey[0] === UNCOMPRESSED &&
      library.verify(assertDigest(digest), compact, publicKey),
  };
}

function assertDigest(digest: Uint8Array): Uint8Array {
  if (digest.length !== DIGEST_BYTES)
    throw new RangeError(`A digest has ${DIGEST_BYTES} bytes, not ${digest.length}`);
  return digest;
}
