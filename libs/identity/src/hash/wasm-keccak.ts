import { createKeccak } from 'hash-wasm';
import type { Keccak } from './keccak.js';

/**
 * Keccak in WebAssembly, some ten times faster for a message of 1 kB. One instance serves every call: nothing is awaited between its
 * first byte and its digest, so no two calls can mix, and `init` forgets whatever stood there before.
 * @returns undefined where no WebAssembly runs (`--jitless`, or too little address space for its memory)
 */
export async function loadWasmKeccak(): Promise<Keccak | undefined> {
  const hasher = await createHasher();
  return (
    hasher && {
      name: 'wasm',
      hash: (...parts) => {
        hasher.init();
        for (const part of parts) hasher.update(part);
        return hasher.digest('binary');
      },
    }
  );
}

async function createHasher(): Promise<Awaited<ReturnType<typeof createKeccak>> | undefined> {
  try {
    return await createKeccak(256);
  } catch {
    return undefined;
  }
}
