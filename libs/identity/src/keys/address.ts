import { keccak_256 } from '@noble/hashes/sha3.js';
import { curve } from '../curve/chosen-curve.js';
import type { PrivateKey } from './private-key.js';

/** `0x` and 40 hexadecimal digits with the EIP-55 checksum in their case. */
export type Address = string & { readonly __brand: 'Address' };

/** Uncompressed public key, `0x04…`, 65 bytes. */
export function publicKeyOf(key: PrivateKey): string {
  return toHex(curve.publicKey(key.bytes));
}

/** Last 20 bytes of keccak-256 of the public key without its first byte, with the EIP-55 checksum. */
export function addressOf(publicKey: Uint8Array | string): Address {
  const bytes = typeof publicKey === 'string' ? Buffer.from(publicKey.replace(/^0x/i, ''), 'hex') : publicKey;
  if (bytes.length !== 65 || bytes[0] !== 4)
    throw new RangeError('an uncompressed public key has 65 bytes and begins with 04');
  return withChecksum(Buffer.from(keccak_256(bytes.subarray(1)).subarray(12)).toString('hex'));
}

export function addressOfKey(key: PrivateKey): Address {
  return addressOf(curve.publicKey(key.bytes));
}

/** EIP-55: a letter is upper case where the digit of keccak-256 of the lower-case address at its place is 8 or more. */
export function withChecksum(hex: string): Address {
  const lower = hex.toLowerCase();
  const hash = Buffer.from(keccak_256(Buffer.from(lower, 'ascii'))).toString('hex');
  const mixed = [...lower].map((digit, at) =>
    parseInt(hash[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${mixed.join('')}` as Address;
}

export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
