import { createHash } from 'node:crypto';
import { loadNativeCurve } from './load-native-curve.js';
import { nobleCurve } from './noble-curve.js';
import { nobleKeccak, type Keccak } from './keccak.js';
import { loadWasmKeccak } from './wasm-keccak.js';
import type { Curve } from './curve.js';
import type { Base64Url } from './portable-base64url.js';

/*
 * The primitives of Node, `#primitives` of package.json. `portable-primitives.ts` has the same exports for every platform.
 */

/** Uses the native binding if it loads, otherwise noble. */
export const curve: Curve = loadNativeCurve() ?? nobleCurve;

/** WebAssembly where it runs, else the reference. */
export const keccak: Keccak = (await loadWasmKeccak()) ?? nobleKeccak;

/** Of bytes, or of the UTF-8 form of a text. */
export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest();
}

export const base64url: Base64Url = {
  encode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url'),
  decode: (text) => {
    const bytes = Buffer.from(text, 'base64url');
    return bytes.toString('base64url') === text ? bytes : undefined;
  },
};
