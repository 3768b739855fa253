import { addressOfKey, withChecksum, type Address } from './address.js';
import type { PrivateKey } from './private-key.js';

/**
 * `did:<method>:<address>` (document 002, Enrolment), with the address of the signing key. A network can precede the
 * address: `did:ethr:volta:0x…`.
 */
export type Did = string & { readonly __brand: 'Did' };

/** `did:ethr` (ERC-1056). */
export const DEFAULT_DID_METHOD = 'ethr';

/** The parts of a DID before the address. */
export interface DidOptions {
  /** Method name. Default `ethr`. */
  readonly method?: string;
  /** Name or id of the chain. It is not part of the identity. Default: none. */
  readonly network?: string;
}

/** The text is not a DID that ends in an address. */
export class InvalidDidError extends Error {
  override readonly name = 'InvalidDidError';

  constructor(
    readonly text: string,
    /** `checksum`: the form is right, but the mixed-case address does not match its EIP-55 checksum. */
    readonly reason: 'form' | 'checksum' = 'form',
  ) {
    super(
      reason === 'form'
        ? `"${text.slice(0, 100)}" is not a DID of the form did:<method>:<address>, the address being 0x and 40 hexadecimal digits`
        : `the address of "${text.slice(0, 100)}" has a wrong checksum (EIP-55): a digit or a letter's case has been changed`,
    );
  }
}

/** W3C DID Core §3.1, with a limit on the length. */
const METHOD = /^[a-z0-9]{1,32}$/;
const NETWORK = /^[A-Za-z0-9._-]+$/;
const DID = /^did:([a-z0-9]{1,32}):(?:[A-Za-z0-9._-]+:)*0x([0-9a-fA-F]{40})$/;

/** Characters. Every token and message carries a DID, so its length is limited. */
const MAX_DID_LENGTH = 255;
const MAX_NETWORK_LENGTH = 100;

/** Checks a DID and returns it unchanged. @throws InvalidDidError */
export function parseDid(text: string): Did {
  addressFromDid(text);
  return text as Did;
}

/** Whether a text is a DID. A mixed-case address must have the right checksum. */
export function isDid(text: string): text is Did {
  return tryParseParts(text) !== undefined;
}

/** Whether a text is a DID method name of at most 32 characters. */
export function isDidMethod(text: string): boolean {
  return METHOD.test(text);
}

/**
 * The DID of an address.
 * @throws RangeError when the method is not a method name, or the network is not 1 to 100 letters, digits, dots,
 *   dashes and underscores
 */
export function didOf(address: Address, { method = DEFAULT_DID_METHOD, network }: DidOptions = {}): Did {
  if (!isDidMethod(method)) throw new RangeError('Not the name of a DID method');
  if (network === undefined) return `did:${method}:${address}` as Did;
  if (network.length > MAX_NETWORK_LENGTH || !NETWORK.test(network)) {
    throw new RangeError('Not the name of a network');
  }
  return `did:${method}:${network}:${address}` as Did;
}

export function didOfKey(key: PrivateKey, options: DidOptions = {}): Did {
  return didOf(addressOfKey(key), options);
}

/** The method name of a DID. */
export function methodOf(did: Did): string {
  return did.slice('did:'.length, did.indexOf(':', 'did:'.length));
}

/**
 * The address in a DID, with its checksum. Only a mixed-case address carries a checksum (EIP-55).
 * @throws InvalidDidError
 */
export function addressFromDid(did: string): Address {
  return parseParts(did).address;
}

/** As `addressFromDid`, but undefined for a text that is not a DID. */
export function tryAddressFromDid(did: string): Address | undefined {
  return tryParseParts(did)?.address;
}

/**
 * The address of a DID in lower case: the key under which permissions and offsets are stored. For a text that is
 * not a DID it returns the last part in lower case.
 */
export function lowerCaseAddress(did: string): string {
  return did.slice(did.lastIndexOf(':') + 1).toLowerCase();
}

/** Whether a DID of any method has this address. False for a text that is not a DID. */
export function didHasAddress(did: string, address: Address): boolean {
  return tryAddressFromDid(did) === address;
}

/**
 * Whether two DIDs have the same method and address (DID Core §3.1); network and checksum do not count. False when
 * either is not a DID.
 */
export function isSameIdentity(one: string, other: string): boolean {
  const [a, b] = [tryParseParts(one), tryParseParts(other)];
  return a !== undefined && b !== undefined && a.method === b.method && a.address === b.address;
}

interface ParsedDid {
  readonly method: string;
  readonly address: Address;
}

function parseParts(did: string): ParsedDid {
  const [, method, digits] = (did.length > MAX_DID_LENGTH ? undefined : DID.exec(did)) ?? [];
  if (method === undefined || digits === undefined) throw new InvalidDidError(did);
  const address = withChecksum(digits);
  const isMixedCase = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  if (isMixedCase && address !== `0x${digits}`) throw new InvalidDidError(did, 'checksum');
  return { method, address };
}

function tryParseParts(did: string): ParsedDid | undefined {
  try {
    return parseParts(did);
  } catch (error) {
    if (error instanceof InvalidDidError) return undefined;
    throw error;
  }
}
