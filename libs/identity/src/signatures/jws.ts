import { base64url, curve as defaultCurve, sha256 } from '#primitives';
import { withLowS, type Curve } from '../crypto/curve.js';
import { isAddressOf, toHex, type Address } from '../keys/address.js';
import { didOfKey, tryAddressFromDid, type Did, type DidOptions } from '../keys/did.js';
import type { PrivateKey } from '../keys/private-key.js';
import { decodeUtf8, isWellFormed, utf8 } from './utf8.js';

/** JWS (RFC 7515) with ES256K (RFC 8812): secp256k1 over SHA-256, signature r‖s. */
const ALGORITHM = 'ES256K';

export type JwsHeader = Readonly<Record<string, unknown>>;

export type DetachedJwsVerdict =
  | { readonly ok: true; readonly signer: Did; readonly publicKey: string; readonly header: JwsHeader }
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
  const protectedHeader = encodeText(JSON.stringify({ ...header, alg: ALGORITHM, kid }));
  const input = `${protectedHeader}.${encodeText(payload)}`;
  const { compact } = defaultCurve.sign(sha256(input), key.bytes);
  return `${input}.${base64url.encode(compact)}`;
}

/** As `signJws`, without the payload: `header..signature` (RFC 7515 appendix F). */
export function signDetachedJws(payload: string, key: PrivateKey, header: JwsHeader = {}): string {
  const [head = '', , signature = ''] = signJws(payload, key, header).split('.');
  return `${head}..${signature}`;
}

/** Checks that the DID's holder signed the payload; a bad JWS is a verdict. High s is refused, so an event has one proof. */
export function verifyDetachedJws(
  jws: string,
  payload: string,
  did: string,
  curve: Curve = defaultCurve,
): DetachedJwsVerdict {
  const [head = '', middle, signature = '', ...more] = jws.split('.');
  if (middle !== '' || more.length > 0 || !isWellFormed(payload)) return { ok: false, reason: 'malformed' };
  const compact = base64url.decode(signature);
  const verdict = verifySignature(head, encodeText(payload), compact, did, curve);
  if (!verdict.ok) return verdict;
  return { ok: true, signer: did as Did, publicKey: toHex(verdict.publicKey), header: verdict.header };
}

/**
 * Checks that the DID's holder signed this compact JWS. RFC 8812 §3.2 allows high s, so a repeated token is recognised by
 * its claims, never by its text.
 */
export function verifyJws(jws: string, did: string): JwsVerdict {
  const [head = '', body = '', signature = '', ...more] = jws.split('.');
  const payload = base64url.decode(body);
  const compact = base64url.decode(signature);
  if (more.length > 0 || body === '' || payload === undefined) return { ok: false, reason: 'malformed' };
  const normalised = compact?.length === COMPACT_BYTES ? withLowS(compact) : undefined;
  const verdict = verifySignature(head, body, normalised, did, defaultCurve);
  return verdict.ok ? { ok: true, header: verdict.header, payload: decodeUtf8(payload) } : verdict;
}

const COMPACT_BYTES = 64;

interface SignatureCheck {
  readonly ok: true;
  readonly header: JwsHeader;
  readonly publicKey: Uint8Array;
}

/**
 * A DID has an address and no public key, so both candidate keys of the signature are recovered and their addresses compared.
 * @param compact undefined when the JWS has no signature in base64url
 */
function verifySignature(
  head: string,
  body: string,
  compact: Uint8Array | undefined,
  did: string,
  curve: Curve,
): SignatureCheck | Extract<JwsVerdict, { readonly ok: false }> {
  const header = readJwsHeader(head);
  const expected = tryAddressFromDid(did);
  if (header === undefined || compact?.length !== COMPACT_BYTES || expected === undefined)
    return { ok: false, reason: 'malformed' };
  // RFC 7515 §4.1.11: an unknown critical extension must be refused, and none is supported.
  if (header['alg'] !== ALGORITHM || 'crit' in header) return { ok: false, reason: 'wrong-algorithm' };
  const publicKey = findSigner(expected, sha256(`${head}.${body}`), compact, curve);
  return publicKey === undefined ? { ok: false, reason: 'signature' } : { ok: true, header, publicKey };
}

/** The public key that made the signature; undefined when it does not have the address. */
function findSigner(
  address: Address,
  digest: Uint8Array,
  compact: Uint8Array,
  curve: Curve,
): Uint8Array | undefined {
  for (const recovery of [0, 1] as const) {
    const publicKey = curve.recover(digest, compact, recovery);
    if (publicKey !== undefined && isAddressOf(address, publicKey)) return publicKey;
  }
  return undefined;
}

/** The header of a JWS, not yet verified; undefined when it is not a JSON object in strict base64url. */
export function readJwsHeader(jws: string): JwsHeader | undefined {
  const bytes = base64url.decode(jws.split('.', 1)[0] ?? '');
  if (bytes === undefined) return undefined;
  try {
    const header: unknown = JSON.parse(decodeUtf8(bytes));
    return typeof header === 'object' && header !== null && !Array.isArray(header)
      ? (header as JwsHeader)
      : undefined;
  } catch {
    return undefined;
  }
}

function encodeText(text: string): string {
  return base64url.encode(utf8(text));
}
