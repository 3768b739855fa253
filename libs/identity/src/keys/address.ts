import { keccak as chosen } from '../hash/chosen-keccak.js';
import type { Keccak } from '../hash/keccak.js';
import type { PrivateKey } from './private-key.js';

/** `0x` and 40 hexadecimal digits with the EIP-55 checksum in their case. */
export type Address = string & { readonly __brand: 'Address' };

/** Uncompressed public key, `0x04…`, 65 bytes. */
export function publicKeyOf(key: PrivateKey): string {
  return toHex(key.publicKey);
}

/**
 * Last 20 bytes of keccak-256 of the public key without its first byte, with the EIP-55 checksum.
 * @throws RangeError when it is no uncompressed public key of 65 bytes
 */
export function addressOf(publicKey: Uint8Array | string, keccak: Keccak = chosen): Address {
  const bytes = typeof publicKey === 'string' ? Buffer.from(publicKey.replace(/^0x/i, ''), 'hex') : publicKey;
  if (bytes.length !== 65 || bytes[0] !== 4)
    throw new RangeError('an uncompressed public key has 65 bytes and begins with 04');
  return withChecksum(Buffer.from(keccak.hash(bytes.subarray(1)).subarray(12)).toString('hex'), keccak);
}

export function addressOfKey(key: PrivateKey): Address {
  return addressOf(key.publicKey);
}

/**
 * EIP-55: a letter is upper case where the digit of keccak-256 of the lower-case address at its place is 8 or more.
 * @param hex 40 hexadecimal digits in any case, without `0x`
 */
export function withChecksum(hex: string, keccak: Keccak = chosen): Address {
  const lower = Buffer.from(hex.toLowerCase(), 'latin1');
  const digits = keccak.hash(lower);
  for (let at = 0; at < lower.length; at += 1) {
    const letter = lower[at] ?? 0;
    const pair = digits[at >> 1] ?? 0;
    const digit = at % 2 === 0 ? pair >> 4 : pair & 0x0f;
    if (digit >= 8 && letter >= SMALL_A) lower[at] = letter - SMALL_TO_CAPITAL;
  }
  return `0x${lower.toString('latin1')}` as Address;
}

const SMALL_A = 0x61;
const SMALL_TO_CAPITAL = 0x20;

export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
