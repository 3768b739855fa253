import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { encodeUtf8 } from '../signatures/utf8.js';
import { nobleCurve } from './noble-curve.js';
import { nobleKeccak, type Keccak } from './keccak.js';
import { portableBase64url, type Base64Url } from './portable-base64url.js';
import type { Curve } from './curve.js';

export const curve: Curve = nobleCurve;
export const keccak: Keccak = nobleKeccak;
export const base64url: Base64Url = portableBase64url;

export function sha256(data: string | Uint8Array): Uint8Array {
  return nobleSha256(typeof data === 'string' ? encodeUtf8(data) : data);
}
