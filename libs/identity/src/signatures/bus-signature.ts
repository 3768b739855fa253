import { curve } from '../curve/chosen-curve.js';
import type { Curve } from '../curve/curve.js';
import { keccak } from '../hash/chosen-keccak.js';
import type { Keccak } from '../hash/keccak.js';
import { addressOf, toHex, type Address } from '../keys/address.js';
import { InvalidDidError, addressFromDid, didOf, methodOf, type Did } from '../keys/did.js';
import type { PrivateKey } from '../keys/private-key.js';
import { isWellFormed, utf8 } from './utf8.js';

/** `eip191`: personal_sign over the payload's UTF-8 bytes; `keccak256`: over their hash alone, as newer gateways do. */
export const SIGNATURE_SCHEMES = ['eip191', 'keccak256'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** What signatures are made of, for whoever wants other implementations than the quickest that load here. */
export interface Primitives {
  readonly curve: Curve;
  readonly keccak: Keccak;
}

const CHOSEN: Primitives = { curve, keccak };

export type Recovery =
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
  primitives: Primitives = CHOSEN,
): string {
  const digest = digestOf(utf8(payload), scheme, primitives.keccak);
  const { compact, recovery } = primitives.curve.sign(digest, key.bytes);
  return toHex(compact) + (recovery === 0 ? '1b' : '1c');
}

/** Recovers who signed a payload. v may be 0, 1, 27 or 28; a high s is unrecoverable, and so is a payload without a UTF-8 form. */
export function recoverSigner(
  payload: string,
  signature: string,
  scheme: SignatureScheme = 'eip191',
  primitives: Primitives = CHOSEN,
): Recovery {
  const parts = parseSignature(signature);
  if (parts === undefined) return { ok: false, reason: 'malformed-signature' };
  if (!isWellFormed(payload)) return { ok: false, reason: 'unrecoverable' };
  const digest = digestOf(Buffer.from(payload, 'utf8'), scheme, primitives.keccak);
  const publicKey = primitives.curve.recover(digest, parts.compact, parts.recovery);
  if (publicKey === undefined) return { ok: false, reason: 'unrecoverable' };
  return { ok: true, address: addressOf(publicKey, primitives.keccak), publicKey: toHex(publicKey) };
}

/**
 * Whether the DID's holder signed the payload. A bad signature is a verdict, never an exception. The DID's address decides, whatever its
 * method: which methods count is for whoever knows the DID (`isSameIdentity`).
 */
export function verifyMessage(
  payload: string,
  signature: string,
  did: string,
  scheme: SignatureScheme = 'eip191',
  primitives: Primitives = CHOSEN,
): SignatureVerdict {
  const expected = addressOrNothing(did);
  if (expected === undefined) return { ok: false, reason: 'did-format' };
  const recovery = recoverSigner(payload, signature, scheme, primitives);
  if (!recovery.ok) return { ok: false, reason: 'signature-format' };
  const signer = didOf(recovery.address, { method: methodOf(did as Did) });
  const { publicKey } = recovery;
  if (recovery.address !== expected) return { ok: false, reason: 'signer-mismatch', signer, publicKey };
  return { ok: true, signer, publicKey };
}

/** Whether the text has the form of a bus signature: 65 bytes as `0x` hex with a known v. */
export function isSignature(signature: string): boolean {
  return parseSignature(signature) !== undefined;
}

function parseSignature(signature: string): { compact: Uint8Array; recovery: 0 | 1 } | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined;
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const v = bytes[64] ?? 255;
  const recovery = v >= 27 ? v - 27 : v;
  return recovery === 0 || recovery === 1 ? { compact: bytes.subarray(0, 64), recovery } : undefined;
}

/** What is signed: keccak-256 of the bytes, behind the prefix of EIP-191 version 0x45 where the scheme has one. */
function digestOf(bytes: Uint8Array, scheme: SignatureScheme, keccak: Keccak): Uint8Array {
  switch (scheme) {
    case 'eip191':
      return keccak.hash(Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`, 'latin1'), bytes);
    case 'keccak256':
      return keccak.hash(bytes);
  }
}

function addressOrNothing(did: string): Address | undefined {
  try {
    return addressFromDid(did);
  } catch (error) {
    if (error instanceof InvalidDidError) return undefined;
    throw error;
  }
}
