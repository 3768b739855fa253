import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Keccak } from './keccak.js';

/** The reference implementation: audited JavaScript, no dependency on the platform. */
export const nobleKeccak: Keccak = {
  name: 'noble',
  hash: (...parts) => {
    const hasher = keccak_256.create();
    for (const part of parts) hasher.update(part);
    return hasher.digest();
  },
};
