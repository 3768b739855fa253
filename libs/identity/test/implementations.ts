import { nobleKeccak } from '../src/crypto/keccak.js';
import { loadNativeCurve } from '../src/crypto/load-native-curve.js';
import { loadWasmKeccak } from '../src/crypto/wasm-keccak.js';
import { nobleCurve } from '../src/crypto/noble-curve.js';
import type { CryptoPrimitives } from '../src/signatures/bus-signature.js';

/** The reference implementations, then the native ones where they load. */
export async function loadImplementations(): Promise<CryptoPrimitives[]> {
  const reference = { curve: nobleCurve, keccak: nobleKeccak };
  const native = { curve: loadNativeCurve(), keccak: await loadWasmKeccak() };
  if (native.curve === undefined || native.keccak === undefined) return [reference];
  return [reference, { curve: native.curve, keccak: native.keccak }];
}
