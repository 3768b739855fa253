import { readFileSync } from 'node:fs';

/** One published test of ECDSA verification (`vectors/wycheproof`). Hexadecimal throughout. */
export interface EcdsaVector {
  readonly id: number;
  readonly comment: string;
  /** Uncompressed, 65 bytes. */
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly valid: boolean;
}

interface WycheproofFile {
  readonly numberOfTests: number;
  readonly testGroups: readonly {
    readonly publicKey: { readonly uncompressed: string };
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly msg: string;
      readonly sig: string;
      readonly result: 'valid' | 'invalid' | 'acceptable';
    }[];
  }[];
}

/** Every vector of a Wycheproof file; the file says itself how many there are. */
export function ecdsaVectors(file: string): { readonly stated: number; readonly vectors: EcdsaVector[] } {
  const { numberOfTests, testGroups } = JSON.parse(
    readVector(`wycheproof/${file}`).toString('utf8'),
  ) as WycheproofFile;
  const vectors = testGroups.flatMap(({ publicKey, tests }) =>
    tests.map(({ tcId, comment, msg, sig, result }) => ({
      id: tcId,
      comment,
      publicKey: Buffer.from(publicKey.uncompressed, 'hex'),
      message: Buffer.from(msg, 'hex'),
      signature: Buffer.from(sig, 'hex'),
      valid: result === 'valid',
    })),
  );
  return { stated: numberOfTests, vectors };
}

/** A file of `libs/identity/vectors`, byte for byte. */
export function readVector(path: string): Buffer {
  return readFileSync(new URL(`../../vectors/${path}`, import.meta.url));
}
