/**
 * Keccak-256 as Ethereum uses it: the padding of the original submission, not the one of FIPS 202. Pure and synchronous; every
 * implementation gives the same answers.
 */
export interface Keccak {
  readonly name: string;
  /** 32 bytes that are the caller's own: the hash of the parts, one after the other. */
  hash(...parts: readonly Uint8Array[]): Uint8Array;
}
