import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { keccak as defaultKeccak } from '#primitives';
import type { Keccak } from '../crypto/keccak.js';
import { encodeUtf8 } from '../signatures/utf8.js';
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
  const bytes = typeof publicKey === 'string' ? tryHexToBytes(publicKey) : publicKey;
  if (bytes?.length !== 65 || bytes[0] !== 4)
    throw new RangeError('An uncompressed public key has 65 bytes and begins with 04');
  return withChecksum(addressDigits(bytes, keccak), keccak);
}

/** Whether this is the address of an uncompressed public key of 65 bytes; without the checksum, which takes as long as the address. */
export function isAddressOf(address: Address, publicKey: Uint8Array): boolean {
  return address.slice(2).toLowerCase() === addressDigits(publicKey, defaultKeccak);
}

function addressDigits(publicKey: Uint8Array, keccak: Keccak): string {
  return bytesToHex(keccak.hash(publicKey.subarray(1)).subarray(12));
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
  const [lower, upper] = [hex.toLowerCase(), hex.toUpperCase()];
  const hash = keccak.hash(encodeUtf8(lower));
  let address = '0x';
  for (let index = 0; index < lower.length; index += 1) {
    const hashByte = hash[index >> 1] ?? 0;
    const hashDigit = index % 2 === 0 ? hashByte >> 4 : hashByte & 0x0f;
    address += (hashDigit >= 8 ? upper : lower).charAt(index);
  }
  return address as Address;
}

export function toHex(bytes: Uint8Array): string {
  return `0x${bytesToHex(bytes)}`;
}

/** Undefined for a text that is not hexadecimal. */
function tryHexToBytes(text: string): Uint8Array | undefined {
  const hex = text.replace(/^0x/i, '');
  return /^([0-9a-f]{2})*$/i.test(hex) ? hexToBytes(hex) : undefined;
}
