import { hexToBytes } from '@noble/hashes/utils.js';
import { curve as defaultCurve, keccak as defaultKeccak } from '#primitives';
import type { Curve } from '../crypto/curve.js';
import type { Keccak } from '../crypto/keccak.js';
import { addressOf, toHex, type Address } from '../keys/address.js';
import { didOf, methodOf, tryAddressFromDid, type Did } from '../keys/did.js';
import type { PrivateKey } from '../keys/private-key.js';
import { encodeUtf8, isWellFormed, utf8 } from './utf8.js';

/** `eip191`: personal_sign over the payload's UTF-8 bytes. `keccak256`: over their hash, as newer gateways do. */
export const SIGNATURE_SCHEMES = ['eip191', 'keccak256'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** The implementations of curve and hash. */
export interface CryptoPrimitives {
  readonly curve: Curve;
  readonly keccak: Keccak;
}

export type SignerRecovery =
  | { readonly ok: true; readonly address: Address; readonly publicKey: string }
  | { readonly ok: false; readonly reason: 'malformed-signature' | 'unrecoverable' };

export type SignatureVerdict =
  | { readonly ok: true; readonly signer: Did; readonly publicKey: string }
  | { readonly ok: false; readonly reason: 'signature-format' | 'did-format' }
  | {
      readonly ok: false;
      readonly reason: 'signer-mismatch';
      readonly signer: Did;
      readonly publicKey: string;
    };

/**
 * Signs a bus message's payload: 65 bytes r‖s‖v as `0x` hex, v 27 or 28, s low.
 * @throws IllFormedTextError for a payload with a lone surrogate
 */
export function signMessage(
  payload: string,
  key: PrivateKey,
  scheme: SignatureScheme = 'eip191',
  { curve = defaultCurve, keccak = defaultKeccak }: Partial<CryptoPrimitives> = {},
): string {
  const digest = hashPayload(utf8(payload), scheme, keccak);
  const { compact, recovery } = curve.sign(digest, key.bytes);
  return toHex(compact) + (recovery === 0 ? '1b' : '1c');
}

/**
 * Recovers the signer of a payload, text or bytes. v is 0, 1, 27 or 28; a high s or a payload without a UTF-8 form is
 * unrecoverable.
 */
export function recoverSigner(
  payload: string | Uint8Array,
  signature: string,
  scheme: SignatureScheme = 'eip191',
  { curve = defaultCurve, keccak = defaultKeccak }: Partial<CryptoPrimitives> = {},
): SignerRecovery {
  const parts = parseSignature(signature);
  if (parts === undefined) return { ok: false, reason: 'malformed-signature' };
  if (typeof payload === 'string' && !isWellFormed(payload)) return { ok: false, reason: 'unrecoverable' };
  const bytes = typeof payload === 'string' ? encodeUtf8(payload) : payload;
  const digest = hashPayload(bytes, scheme, keccak);
  const publicKey = curve.recover(digest, parts.compact, parts.recovery);
  if (publicKey === undefined) return { ok: false, reason: 'unrecoverable' };
  return { ok: true, address: addressOf(publicKey, keccak), publicKey: toHex(publicKey) };
}

/**
 * Checks that the DID's holder signed the payload. A bad signature is a verdict, not an exception. Only the DID's
 * address counts; callers compare methods with `isSameIdentity`.
 */
export function verifyMessage(
  payload: string,
  signature: string,
  did: string,
  scheme: SignatureScheme = 'eip191',
  primitives: Partial<CryptoPrimitives> = {},
): SignatureVerdict {
  const expected = tryAddressFromDid(did);
  if (expected === undefined) return { ok: false, reason: 'did-format' };
  const recovery = recoverSigner(payload, signature, scheme, primitives);
  if (!recovery.ok) return { ok: false, reason: 'signature-format' };
  const signer = didOf(recovery.address, { method: methodOf(did as Did) });
  const { publicKey } = recovery;
  if (recovery.address !== expected) return { ok: false, reason: 'signer-mismatch', signer, publicKey };
  return { ok: true, signer, publicKey };
}

/** 65 bytes as `0x` hex with v 0, 1, 27 or 28. */
function parseSignature(signature: string): { compact: Uint8Array; recovery: 0 | 1 } | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined;
  const bytes = hexToBytes(signature.slice(2));
  const v = bytes[64] ?? 255;
  const recovery = v >= 27 ? v - 27 : v;
  return recovery === 0 || recovery === 1 ? { compact: bytes.subarray(0, 64), recovery } : undefined;
}

/** The digest to sign: keccak-256 of the bytes, after the prefix of EIP-191 version 0x45 for that scheme. */
function hashPayload(bytes: Uint8Array, scheme: SignatureScheme, keccak: Keccak): Uint8Array {
  switch (scheme) {
    case 'eip191':
      return keccak.hash(encodeUtf8(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes);
    case 'keccak256':
      return keccak.hash(bytes);
  }
}
