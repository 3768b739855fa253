import { keccak256 } from 'ethers';
import fc from 'fast-check';
import { keccak } from '#primitives';
import { nobleKeccak, type Keccak } from './keccak.js';
import { loadWasmKeccak } from './wasm-keccak.js';

const wasm = await loadWasmKeccak();
const implementations: Keccak[] = wasm === undefined ? [nobleKeccak] : [nobleKeccak, wasm];

/** Block size of Keccak-256 (the rate), and chunk size of hash-wasm; bytes. */
const [BLOCK_BYTES, CHUNK_BYTES] = [136, 16 * 1024];

describe('the WebAssembly implementation', () => {
  it('is the default on this platform', () => {
    expect(keccak.name).toBe('wasm');
  });

  it('does not load without WebAssembly', async () => {
    const original = Object.getOwnPropertyDescriptor(globalThis, 'WebAssembly') ?? {};
    Reflect.deleteProperty(globalThis, 'WebAssembly');
    try {
      expect(await loadWasmKeccak()).toBeUndefined();
    } finally {
      Object.defineProperty(globalThis, 'WebAssembly', original);
    }
    expect(await loadWasmKeccak()).toMatchObject({ name: 'wasm' });
  });
});

describe.each(implementations)('keccak-256, $name', (implementation) => {
  // Published by Ethereum: the hash of empty code, of an empty trie (RLP of no bytes) and of an empty list.
  it.each([
    ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['80', '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'],
    ['c0', '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'],
  ])('of the bytes "%s" is the published hash', (bytes, expected) => {
    expect(hex(implementation.hash(Buffer.from(bytes, 'hex')))).toBe(expected);
  });

  it('of any length is the hash that ethers computes', () => {
    const lengths = lengthsAround(0, BLOCK_BYTES, 2 * BLOCK_BYTES, CHUNK_BYTES, 2 * CHUNK_BYTES);
    const wrong = lengths.filter((length) => {
      const bytes = Buffer.alloc(length, 'settlement');
      return `0x${hex(implementation.hash(bytes))}` !== keccak256(bytes);
    });
    expect(wrong).toEqual([]);
  });

  it('of any bytes in any number of parts is the hash of the reference', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (parts) => {
        expect(hex(implementation.hash(...parts))).toBe(hex(nobleKeccak.hash(Buffer.concat(parts))));
      }),
    );
  });

  it('returns a digest that later calls do not change', () => {
    const [first, bytes] = [implementation.hash(Buffer.from('one')), Buffer.from('other')];
    const before = hex(first);
    implementation.hash(bytes).fill(0);
    expect([hex(first), bytes.toString()]).toEqual([before, 'other']);
  });
});

function lengthsAround(...lengths: number[]): number[] {
  return lengths.flatMap((length) => [length - 1, length, length + 1]).filter((length) => length >= 0);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
