import { createRequire } from 'node:module';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { IHasher } from 'hash-wasm';

/**
 * Keccak-256 as Ethereum uses it: the padding of the original submission, not that of FIPS 202. Pure and
 * synchronous; all implementations give the same results.
 */
export interface Keccak {
  readonly name: string;
  /** The hash of the concatenated parts: 32 bytes that the caller may change. */
  hash(...parts: readonly Uint8Array[]): Uint8Array;
}

/** The reference implementation: audited JavaScript that runs on every platform. */
export const nobleKeccak: Keccak = {
  name: 'noble',
  hash: (...parts) => {
    const hasher = keccak_256.create();
    for (const part of parts) hasher.update(part);
    return hasher.digest();
  },
};

/**
 * Keccak in WebAssembly, about ten times faster for 1 kB. One instance is enough: `hash` is synchronous, so calls
 * cannot interleave.
 * @returns undefined where WebAssembly does not run (`--jitless`, or too little address space)
 */
export async function loadWasmKeccak(): Promise<Keccak | undefined> {
  const hasher = await createWasmHasher();
  if (hasher === undefined) return undefined;
  return {
    name: 'wasm',
    hash: (...parts) => {
      hasher.init();
      for (const part of parts) hasher.update(part);
      return hasher.digest('binary');
    },
  };
}

/** Loads only the file of this hash: the package's main file takes 40 ms and 10 MB more. */
async function createWasmHasher(): Promise<IHasher | undefined> {
  const { createKeccak } = createRequire(import.meta.url)('hash-wasm/dist/keccak.umd.min.js') as {
    readonly createKeccak: (bits: 256) => Promise<IHasher>;
  };
  try {
    return await createKeccak(256);
  } catch {
    return undefined;
  }
}

/** The default implementation: WebAssembly where it runs, else the reference. */
export const keccak: Keccak = (await loadWasmKeccak()) ?? nobleKeccak;
