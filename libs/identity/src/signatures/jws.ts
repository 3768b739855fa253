import { createHash } from 'node:crypto';
import { curve } from '../curve/chosen-curve.js';
import { addressOf, type Address } from '../keys/address.js';
import { addressFromDid, didOfKey, InvalidDidError, type Did, type DidForm } from '../keys/did.js';
import type { PrivateKey } from '../keys/private-key.js';
import { isWellFormed, utf8 } from './utf8.js';

/** JWS (RFC 7515) with ES256K (RFC 8812): secp256k1 over SHA-256, signature r‖s. */
const ALGORITHM = 'ES256K';

export type JwsHeader = Readonly<Record<string, unknown>>;

export type JwsVerdict =
  | { readonly ok: true; readonly signer: Did; readonly header: JwsHeader }
  | { readonly ok: false; readonly reason: 'malformed' | 'wrong-algorithm' | 'signature' };

export type CompactVerdict =
  | { readonly ok: true; readonly header: JwsHeader; readonly payload: string }
  | { readonly ok: false; readonly reason: 'malformed' | 'wrong-algorithm' | 'signature' };

/**
 * Compact JWS `header.payload.signature`; `kid` is the signer's DID. `header` adds members; `alg` and `kid` are not its to set.
 * @param form how the signer writes its DID
 * @throws IllFormedTextError for a payload with a lone surrogate
 */
export function signJws(
  payload: string,
  key: PrivateKey,
  header: JwsHeader = {},
  form: DidForm = {},
): string {
  const kid = didOfKey(key, form);
  const protectedHeader = base64url(JSON.stringify({ ...header, alg: ALGORITHM, kid }));
  const input = `${protectedHeader}.${base64url(payload)}`;
  const { compact } = curve.sign(sha256(input), key.bytes);
  return `${input}.${Buffer.from(compact).toString('base64url')}`;
}

/** The same without the payload in it: `header..signature` (RFC 7515 appendix F). */
export function signDetachedJws(payload: string, key: PrivateKey, header: JwsHeader = {}): string {
  const [head = '', , signature = ''] = signJws(payload, key, header).split('.');
  return `${head}..${signature}`;
}

/** Whether the DID's holder signed the payload with this detached JWS. A bad one is a verdict, never an exception. */
export function verifyDetachedJws(jws: string, payload: string, did: string): JwsVerdict {
  const [head = '', middle, signature = '', ...more] = jws.split('.');
  if (middle !== '' || more.length > 0 || !isWellFormed(payload)) return { ok: false, reason: 'malformed' };
  const verdict = verifyJws(`${head}.${base64url(payload)}.${signature}`, did);
  return verdict.ok ? { ok: true, signer: did as Did, header: verdict.header } : verdict;
}

/**
 * Whether the DID's holder signed this compact JWS. A DID holds an address and no public key, so the two keys that can have made the
 * signature are recovered and their addresses compared, whatever the DID's method.
 */
export function verifyJws(jws: string, did: string): CompactVerdict {
  const [head = '', body = '', signature = '', ...more] = jws.split('.');
  const header = parseHeader(head);
  const compact = decode(signature);
  const payload = decode(body);
  const expected = expectedAddress(did);
  if (
    header === undefined ||
    more.length > 0 ||
    compact?.length !== 64 ||
    payload === undefined ||
    expected === undefined
  ) {
    return { ok: false, reason: 'malformed' };
  }
  // RFC 7515 §4.1.11: an extension marked critical that we do not understand must be refused.
  if (header['alg'] !== ALGORITHM || 'crit' in header) return { ok: false, reason: 'wrong-algorithm' };
  if (!signedBy(expected, sha256(`${head}.${body}`), compact)) return { ok: false, reason: 'signature' };
  return { ok: true, header, payload: payload.toString('utf8') };
}

function signedBy(address: Address, digest: Uint8Array, compact: Uint8Array): boolean {
  return ([0, 1] as const).some((recovery) => {
    const publicKey = curve.recover(digest, compact, recovery);
    return publicKey !== undefined && addressOf(publicKey) === address;
  });
}

function parseHeader(head: string): JwsHeader | undefined {
  try {
    const header: unknown = JSON.parse(decode(head)?.toString('utf8') ?? '');
    return typeof header === 'object' && header !== null && !Array.isArray(header)
      ? (header as JwsHeader)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Strict base64url without padding (RFC 7515 §2): a text that does not come back the same is refused. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined;
}

function expectedAddress(did: string): Address | undefined {
  try {
    return addressFromDid(did);
  } catch (error) {
    if (error instanceof InvalidDidError) return undefined;
    throw error;
  }
}

function base64url(text: string): string {
  return utf8(text).toString('base64url');
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest();
}
