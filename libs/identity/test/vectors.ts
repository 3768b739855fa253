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

/** All vectors of a Wycheproof file, and the number of vectors that the file itself gives. */
export function ecdsaVectors(file: string): { readonly count: number; readonly vectors: EcdsaVector[] } {
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
  return { count: numberOfTests, vectors };
}

/** One published nonce of RFC 6979 on secp256k1 with SHA-256 (`vectors/rfc6979`); key and nonce are 32 bytes as hexadecimal. */
export interface NonceVector {
  readonly message: string;
  readonly key: string;
  readonly nonce: string;
}

export function nonceVectors(): NonceVector[] {
  return JSON.parse(readVector('rfc6979/nonces.json').toString('utf8')) as NonceVector[];
}

/** One published deterministic signature (`vectors/rfc6979`): r‖s with low s; hexadecimal throughout. */
export interface SignatureVector {
  readonly key: string;
  readonly digest: string;
  readonly signature: string;
}

export function signatureVectors(): SignatureVector[] {
  return JSON.parse(readVector('rfc6979/signatures.json').toString('utf8')) as SignatureVector[];
}

/** The results of ethers for a payload (`vectors/ethers`): hexadecimal with `0x`, the key without. */
export interface BusSignatureVector {
  readonly key: string;
  readonly publicKey: string;
  readonly address: string;
  readonly payload: string;
  readonly eip191: { readonly digest: string; readonly signature: string };
  readonly keccak256: { readonly digest: string; readonly signature: string };
}

export function busSignatureVectors(): BusSignatureVector[] {
  const file = JSON.parse(readVector('ethers/bus-signatures.json').toString('utf8')) as {
    readonly vectors: BusSignatureVector[];
  };
  return file.vectors;
}

/** The bytes of a file in `libs/identity/vectors`. */
export function readVector(path: string): Buffer {
  return readFileSync(new URL(`../../vectors/${path}`, import.meta.url));
}
