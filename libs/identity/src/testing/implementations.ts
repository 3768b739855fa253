import { loadNativeCurve } from '../curve/native-curve.js';
import { nobleCurve } from '../curve/noble-curve.js';
import { nobleKeccak } from '../hash/noble-keccak.js';
import { loadWasmKeccak } from '../hash/wasm-keccak.js';
import type { Primitives } from '../signatures/bus-signature.js';

/** The reference implementations first, then those that load on this platform. */
export async function implementations(): Promise<Primitives[]> {
  const reference = { curve: nobleCurve, keccak: nobleKeccak };
  const quick = { curve: loadNativeCurve(), keccak: await loadWasmKeccak() };
  if (quick.curve === undefined || quick.keccak === undefined) return [reference];
  return [reference, { curve: quick.curve, keccak: quick.keccak }];
}
