import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * Keccak-256 as Ethereum uses it: the padding of the original submission, not that of FIPS 202. Pure and
 * synchronous; all implementations give the same results.
 */
export interface Keccak {
  readonly name: string;
  /** The hash of the concatenated parts: 32 bytes that the caller may change. */
  hash(...parts: readonly Uint8Array[]): Uint8Array;
}

/** The reference implementation: audited JavaScript that runs on every platform. */
export const nobleKeccak: Keccak = {
  name: 'noble',
  hash: (...parts) => {
    const hasher = keccak_256.create();
    for (const part of parts) hasher.update(part);
    return hasher.digest();
  },
};
