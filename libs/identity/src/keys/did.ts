import { addressOfKey, withChecksum, type Address } from './address.js';
import type { PrivateKey } from './private-key.js';

/** `did:ethr:<address>` (ERC-1056); a network part may stand before the address (`did:ethr:volta:0x…`). */
export type Did = string & { readonly __brand: 'Did' };

/** The text is not a DID that ends in an address. */
export class InvalidDidError extends Error {
  override readonly name = 'InvalidDidError';

  constructor(
    readonly text: string,
    /** `checksum`: the form is right, but the address is written in both cases and they are not those of EIP-55. */
    readonly reason: 'form' | 'checksum' = 'form',
  ) {
    super(
      reason === 'form'
        ? `"${text.slice(0, 100)}" is not a DID of the form did:ethr:<address>, the address being 0x and 40 hexadecimal digits`
        : `the address of "${text.slice(0, 100)}" has a wrong checksum (EIP-55): a digit or a letter's case has been changed`,
    );
  }
}

/**
 * Only of `ethr` is it known that the last part is the address of the key that signs: under another method the same digits may belong
 * to someone else.
 */
const DID = /^did:ethr:(?:[A-Za-z0-9._-]+:)*0x([0-9a-fA-F]{40})$/;
const NETWORK = /^[A-Za-z0-9._-]+$/;

/** Characters: a DID stands in every token and message, and its middle parts are whatever their writer likes. */
const LONGEST = 255;

/** The text as it is, once it is known to be a DID. @throws InvalidDidError */
export function parseDid(text: string): Did {
  addressFromDid(text);
  return text as Did;
}

/**
 * The DID of an address (interface document 002, Enrolment: `did:<method>:<address>`).
 * @param network name or chain id of the chain, where a reader wants it told: it is no part of the identity
 * @throws RangeError when the network is no word of letters, digits, dots, dashes and underscores, or has more than 100
 */
export function didOf(address: Address, network?: string): Did {
  if (network === undefined) return `did:ethr:${address}` as Did;
  if (network.length > 100 || !NETWORK.test(network)) throw new RangeError('this is no name of a network');
  return `did:ethr:${network}:${address}` as Did;
}

export function didOfKey(key: PrivateKey): Did {
  return didOf(addressOfKey(key));
}

/**
 * The address in the DID's last part. EIP-55 has an address in one case carry no checksum; any other must carry the right one.
 * @throws InvalidDidError
 */
export function addressFromDid(did: string): Address {
  const digits = did.length > LONGEST ? undefined : DID.exec(did)?.[1];
  if (digits === undefined) throw new InvalidDidError(did);
  const address = withChecksum(digits);
  const mixed = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  if (mixed && address !== `0x${digits}`) throw new InvalidDidError(did, 'checksum');
  return address;
}

/** Whether two DIDs mean the same address, whatever their network part and whether with a checksum. False when either is none. */
export function sameIdentity(one: string, other: string): boolean {
  try {
    return addressFromDid(one) === addressFromDid(other);
  } catch (error) {
    if (error instanceof InvalidDidError) return false;
    throw error;
  }
}
