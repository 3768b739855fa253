import { addressOfKey, withChecksum, type Address } from './address.js';
import type { PrivateKey } from './private-key.js';

/**
 * `did:<method>:<address>` (interface document 002, Enrolment), the address being the one of the key that signs; a network part may stand
 * before it (`did:ethr:volta:0x…`).
 */
export type Did = string & { readonly __brand: 'Did' };

/** The method where none is told: `did:ethr`, whose last part is an address (ERC-1056). */
export const USUAL_METHOD = 'ethr';

/** What stands before the address. */
export interface DidForm {
  /** Method name; `ethr` unless told. */
  readonly method?: string;
  /** Name or chain id of the chain, where a reader wants it told: it is no part of the identity. */
  readonly network?: string;
}

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
        ? `"${text.slice(0, 100)}" is not a DID of the form did:<method>:<address>, the address being 0x and 40 hexadecimal digits`
        : `the address of "${text.slice(0, 100)}" has a wrong checksum (EIP-55): a digit or a letter's case has been changed`,
    );
  }
}

/** W3C DID Core §3.1: a method's name is of small letters and digits, and of no length in particular. */
const METHOD = /^[a-z0-9]{1,32}$/;
const NETWORK = /^[A-Za-z0-9._-]+$/;
const DID = /^did:([a-z0-9]{1,32}):(?:[A-Za-z0-9._-]+:)*0x([0-9a-fA-F]{40})$/;

/** Characters: a DID stands in every token and message, and its middle parts are whatever their writer likes. */
const LONGEST = 255;
const LONGEST_NETWORK = 100;

/** The text as it is, once it is known to be a DID. @throws InvalidDidError */
export function parseDid(text: string): Did {
  addressFromDid(text);
  return text as Did;
}

/** Whether a text is a DID; one in capitals and small letters must carry the right checksum. */
export function isDid(text: string): text is Did {
  return partsOrNothing(text) !== undefined;
}

/** Whether a text can be the name of a DID method; one of more than 32 characters is none here. */
export function isDidMethod(text: string): boolean {
  return METHOD.test(text);
}

/**
 * The DID of an address.
 * @throws RangeError when the method is no name of one, or the network no word of at most 100 letters, digits, dots, dashes and underscores
 */
export function didOf(address: Address, { method = USUAL_METHOD, network }: DidForm = {}): Did {
  if (!isDidMethod(method)) throw new RangeError('this is no name of a DID method');
  if (network === undefined) return `did:${method}:${address}` as Did;
  if (network.length > LONGEST_NETWORK || !NETWORK.test(network)) {
    throw new RangeError('this is no name of a network');
  }
  return `did:${method}:${network}:${address}` as Did;
}

export function didOfKey(key: PrivateKey, form: DidForm = {}): Did {
  return didOf(addressOfKey(key), form);
}

/** The method's name in a DID. */
export function methodOf(did: Did): string {
  return did.slice('did:'.length, did.indexOf(':', 'did:'.length));
}

/**
 * The address in the DID's last part. EIP-55 has an address in one case carry no checksum; any other must carry the right one.
 * @throws InvalidDidError
 */
export function addressFromDid(did: string): Address {
  return partsOf(did).address;
}

/**
 * The identity that a DID means, as rights and positions are kept under it: its address in small letters, so that neither a network part
 * nor a checksum makes another one. Of a text that is no DID it is the last part in small letters.
 */
export function identityOf(did: string): string {
  return did.slice(did.lastIndexOf(':') + 1).toLowerCase();
}

/** Whether a DID ends in this address, whatever its method; false for a text that is none. */
export function endsInAddress(did: string, address: Address): boolean {
  return partsOrNothing(did)?.address === address;
}

/**
 * Whether two DIDs mean the same identity: method and address are the same, whatever their network part and whether with a checksum.
 * Another method's DID is another one, though the same key may sign for both (DID Core §3.1). False when either is none.
 */
export function isSameIdentity(one: string, other: string): boolean {
  const [a, b] = [partsOrNothing(one), partsOrNothing(other)];
  return a !== undefined && b !== undefined && a.method === b.method && a.address === b.address;
}

interface Parts {
  readonly method: string;
  readonly address: Address;
}

function partsOf(did: string): Parts {
  const [, method, digits] = (did.length > LONGEST ? undefined : DID.exec(did)) ?? [];
  if (method === undefined || digits === undefined) throw new InvalidDidError(did);
  const address = withChecksum(digits);
  const mixed = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  if (mixed && address !== `0x${digits}`) throw new InvalidDidError(did, 'checksum');
  return { method, address };
}

function partsOrNothing(did: string): Parts | undefined {
  try {
    return partsOf(did);
  } catch (error) {
    if (error instanceof InvalidDidError) return undefined;
    throw error;
  }
}
