import type { Keccak } from './keccak.js';
import { nobleKeccak } from './noble-keccak.js';
import { loadWasmKeccak } from './wasm-keccak.js';

/** WebAssembly where it runs, the reference implementation elsewhere. */
export const keccak: Keccak = (await loadWasmKeccak()) ?? nobleKeccak;
