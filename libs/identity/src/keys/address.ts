import { keccak as defaultKeccak, type Keccak } from '../crypto/keccak.js';
import type { PrivateKey } from './private-key.js';

/** `0x` and 40 hexadecimal digits with the EIP-55 checksum in their case. */
export type Address = string & { readonly __brand: 'Address' };

/** Uncompressed public key, `0x04…`, 65 bytes. */
export function publicKeyOf(key: PrivateKey): string {
  return toHex(key.publicKey);
}

/**
 * The address of a public key: the last 20 bytes of keccak-256 of the key without its first byte.
 * @throws RangeError when it is not an uncompressed public key of 65 bytes
 */
export function addressOf(publicKey: Uint8Array | string, keccak: Keccak = defaultKeccak): Address {
  const bytes = typeof publicKey === 'string' ? Buffer.from(publicKey.replace(/^0x/i, ''), 'hex') : publicKey;
  if (bytes.length !== 65 || bytes[0] !== 4)
    throw new RangeError('An uncompressed public key has 65 bytes and begins with 04');
  return withChecksum(Buffer.from(keccak.hash(bytes.subarray(1)).subarray(12)).toString('hex'), keccak);
}

export function addressOfKey(key: PrivateKey): Address {
  return addressOf(key.publicKey);
}

/**
 * Writes an address with its EIP-55 checksum: a letter is upper case where the same digit of keccak-256 of the
 * lower-case address is 8 or more.
 * @param hex 40 hexadecimal digits in any case, without `0x`
 */
export function withChecksum(hex: string, keccak: Keccak = defaultKeccak): Address {
  const address = Buffer.from(hex.toLowerCase(), 'latin1');
  const hash = keccak.hash(address);
  for (let index = 0; index < address.length; index += 1) {
    const character = address[index] ?? 0;
    const hashByte = hash[index >> 1] ?? 0;
    const hashDigit = index % 2 === 0 ? hashByte >> 4 : hashByte & 0x0f;
    if (hashDigit >= 8 && character >= LOWER_CASE_A) address[index] = character - LOWER_TO_UPPER_CASE;
  }
  return `0x${address.toString('latin1')}` as Address;
}

const LOWER_CASE_A = 0x61;
const LOWER_TO_UPPER_CASE = 0x20;

export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
