import { addressOfKey, withChecksum, type Address } from './address.js';
import type { PrivateKey } from './private-key.js';

/** `did:<method>:<address>`; a network part may stand before the address (`did:ethr:volta:0x…`). */
export type Did = string & { readonly __brand: 'Did' };

/** The text is not a DID that ends in an address. */
export class InvalidDidError extends Error {
  override readonly name = 'InvalidDidError';

  constructor(readonly text: string) {
    super(
      `"${text.slice(0, 100)}" is not a DID of the form did:<method>:<address>, the address being 0x and 40 hexadecimal digits`,
    );
  }
}

const DID = /^did:[a-z0-9]+:(?:[A-Za-z0-9._-]+:)*0x([0-9a-fA-F]{40})$/;

/** Characters: a DID stands in every token and message, and its middle parts are whatever their writer likes. */
const LONGEST = 255;

/** @throws InvalidDidError */
export function parseDid(text: string): Did {
  if (text.length > LONGEST || !DID.test(text)) throw new InvalidDidError(text);
  return text as Did;
}

/** The DID of an address (interface document 002, Enrolment: `did:<method>:<address>`). */
export function didOf(address: Address, method = 'ethr'): Did {
  return parseDid(`did:${method}:${address}`);
}

export function didOfKey(key: PrivateKey, method = 'ethr'): Did {
  return didOf(addressOfKey(key), method);
}

/** The address in the DID's last part. @throws InvalidDidError */
export function addressFromDid(did: string): Address {
  const hex = DID.exec(did)?.[1];
  if (hex === undefined) throw new InvalidDidError(did);
  return withChecksum(hex);
}

/** Whether two DIDs mean the same address, whatever their case, method and network part. False when either is none. */
export function sameIdentity(one: string, other: string): boolean {
  const address = DID.exec(one)?.[1]?.toLowerCase();
  return address !== undefined && address === DID.exec(other)?.[1]?.toLowerCase();
}
