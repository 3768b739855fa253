import { keccak256 } from 'ethers';
import fc from 'fast-check';
import { keccak } from './chosen-keccak.js';
import type { Keccak } from './keccak.js';
import { nobleKeccak } from './noble-keccak.js';
import { loadWasmKeccak } from './wasm-keccak.js';

const wasm = await loadWasmKeccak();
const implementations: Keccak[] = wasm === undefined ? [nobleKeccak] : [nobleKeccak, wasm];

/** Bytes that are hashed at once (the rate), and how much WebAssembly takes in one copy. */
const [BLOCK, CHUNK] = [136, 16 * 1024];

describe('WebAssembly', () => {
  it('is what hashes here', () => {
    expect(keccak.name).toBe('wasm');
  });

  it('is done without where there is none', async () => {
    const there = Object.getOwnPropertyDescriptor(globalThis, 'WebAssembly') ?? {};
    Reflect.deleteProperty(globalThis, 'WebAssembly');
    try {
      expect(await loadWasmKeccak()).toBeUndefined();
    } finally {
      Object.defineProperty(globalThis, 'WebAssembly', there);
    }
    expect(await loadWasmKeccak()).toMatchObject({ name: 'wasm' });
  });
});

describe.each(implementations)('keccak-256, $name', (implementation) => {
  // As Ethereum prints them: of no code, of an empty trie's node (RLP of no bytes), of an empty list.
  it.each([
    ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['80', '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'],
    ['c0', '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'],
  ])('of the bytes "%s" is the published one', (bytes, expected) => {
    expect(hex(implementation.hash(Buffer.from(bytes, 'hex')))).toBe(expected);
  });

  it.each(around(0, BLOCK, 2 * BLOCK, CHUNK, 2 * CHUNK, 1_000_000))(
    'of %s bytes is what ethers computes',
    (length) => {
      const bytes = Buffer.alloc(length, 'settlement');
      expect(`0x${hex(implementation.hash(bytes))}`).toBe(keccak256(bytes));
    },
  );

  it('of any bytes is what the reference computes, in however many parts they come', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (parts) => {
        expect(hex(implementation.hash(...parts))).toBe(hex(nobleKeccak.hash(Buffer.concat(parts))));
      }),
    );
  });

  it("gives a digest that is the caller's own", () => {
    const [first, bytes] = [implementation.hash(Buffer.from('one')), Buffer.from('other')];
    const kept = hex(first);
    implementation.hash(bytes).fill(0);
    expect([hex(first), bytes.toString()]).toEqual([kept, 'other']);
  });
});

function around(...lengths: number[]): number[] {
  return lengths.flatMap((length) => [length - 1, length, length + 1]).filter((length) => length >= 0);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
