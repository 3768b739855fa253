import { createHash } from 'node:crypto';
import { withLowS } from '../crypto/curve.js';
import { curve } from '../crypto/default-curve.js';
import { addressOf, type Address } from '../keys/address.js';
import { didOfKey, tryAddressFromDid, type Did, type DidOptions } from '../keys/did.js';
import type { PrivateKey } from '../keys/private-key.js';
import { isWellFormed, utf8 } from './utf8.js';

/** JWS (RFC 7515) with ES256K (RFC 8812): secp256k1 over SHA-256, signature r‖s. */
const ALGORITHM = 'ES256K';

export type JwsHeader = Readonly<Record<string, unknown>>;

export type DetachedJwsVerdict =
  | { readonly ok: true; readonly signer: Did; readonly header: JwsHeader }
  | { readonly ok: false; readonly reason: 'malformed' | 'wrong-algorithm' | 'signature' };

export type JwsVerdict =
  | { readonly ok: true; readonly header: JwsHeader; readonly payload: string }
  | { readonly ok: false; readonly reason: 'malformed' | 'wrong-algorithm' | 'signature' };

/**
 * Compact JWS `header.payload.signature` with the signer's DID as `kid`.
 * @param header additional header members; `alg` and `kid` in it are replaced
 * @param didOptions method and network of the signer's DID
 * @throws IllFormedTextError for a payload with a lone surrogate
 */
export function signJws(
  payload: string,
  key: PrivateKey,
  header: JwsHeader = {},
  didOptions: DidOptions = {},
): string {
  const kid = didOfKey(key, didOptions);
  const protectedHeader = base64url(JSON.stringify({ ...header, alg: ALGORITHM, kid }));
  const input = `${protectedHeader}.${base64url(payload)}`;
  const { compact } = curve.sign(sha256(input), key.bytes);
  return `${input}.${Buffer.from(compact).toString('base64url')}`;
}

/** As `signJws`, without the payload: `header..signature` (RFC 7515 appendix F). */
export function signDetachedJws(payload: string, key: PrivateKey, header: JwsHeader = {}): string {
  const [head = '', , signature = ''] = signJws(payload, key, header).split('.');
  return `${head}..${signature}`;
}

/** Checks that the DID's holder signed the payload; a bad JWS is a verdict. High s is refused, so an event has one proof. */
export function verifyDetachedJws(jws: string, payload: string, did: string): DetachedJwsVerdict {
  const [head = '', middle, signature = '', ...more] = jws.split('.');
  if (middle !== '' || more.length > 0 || !isWellFormed(payload)) return { ok: false, reason: 'malformed' };
  const verdict = verifyCompact(`${head}.${base64url(payload)}.${signature}`, did, (compact) => compact);
  return verdict.ok ? { ok: true, signer: did as Did, header: verdict.header } : verdict;
}

/**
 * Checks that the DID's holder signed this compact JWS. RFC 8812 §3.2 allows high s, so a repeated token is recognised by
 * its claims, never by its text.
 */
export function verifyJws(jws: string, did: string): JwsVerdict {
  return verifyCompact(jws, did, withLowS);
}

/** A DID has an address and no public key, so both candidate keys of the signature are recovered and their addresses compared. */
function verifyCompact(jws: string, did: string, normalise: (compact: Uint8Array) => Uint8Array): JwsVerdict {
  const [head = '', body = '', signature = '', ...more] = jws.split('.');
  const header = parseHeader(head);
  const compact = decode(signature);
  const payload = decode(body);
  const expected = tryAddressFromDid(did);
  if (
    header === undefined ||
    more.length > 0 ||
    compact?.length !== 64 ||
    payload === undefined ||
    expected === undefined
  ) {
    return { ok: false, reason: 'malformed' };
  }
  // RFC 7515 §4.1.11: an unknown critical extension must be refused, and none is supported.
  if (header['alg'] !== ALGORITHM || 'crit' in header) return { ok: false, reason: 'wrong-algorithm' };
  if (!isSignedBy(expected, sha256(`${head}.${body}`), normalise(compact))) {
    return { ok: false, reason: 'signature' };
  }
  return { ok: true, header, payload: payload.toString('utf8') };
}

function isSignedBy(address: Address, digest: Uint8Array, compact: Uint8Array): boolean {
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

/** Strict base64url without padding (RFC 7515 §2); undefined for any other encoding of the same bytes. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined;
}

function base64url(text: string): string {
  return utf8(text).toString('base64url');
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest();
}
