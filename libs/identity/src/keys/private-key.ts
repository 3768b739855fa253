import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { curve } from '#primitives';

/** The text is not a private key of secp256k1. The error never contains the text. */
export class InvalidPrivateKeyError extends Error {
  override readonly name = 'InvalidPrivateKeyError';

  constructor(readonly reason: string) {
    super(
      `The private key is refused: ${reason}. It is 64 hexadecimal characters, with or without 0x, between 1 and the curve's order.`,
    );
  }
}

const PLACEHOLDER = '[private key]';

/** A secp256k1 private key. Only `toHex` and `bytes` reveal it; logs and JSON show a placeholder. */
export class PrivateKey {
  readonly #bytes: Uint8Array;
  readonly #publicKey: Uint8Array;

  /** @throws InvalidPrivateKeyError when zero, at or above the curve's order, or not 32 bytes */
  constructor(bytes: Uint8Array) {
    if (bytes.length !== 32) throw new InvalidPrivateKeyError(`it has ${bytes.length} bytes instead of 32`);
    try {
      this.#publicKey = curve.publicKey(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new InvalidPrivateKeyError("it is zero, or not below the curve's order");
    }
    this.#bytes = Uint8Array.from(bytes);
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  /** Uncompressed, 65 bytes. */
  get publicKey(): Uint8Array {
    return Uint8Array.from(this.#publicKey);
  }

  /** 64 hexadecimal characters, no prefix. */
  toHex(): string {
    return Buffer.from(this.#bytes).toString('hex');
  }

  toString(): string {
    return PLACEHOLDER;
  }

  toJSON(): string {
    return PLACEHOLDER;
  }

  [inspect.custom](): string {
    return PLACEHOLDER;
  }
}

/**
 * Parses a private key: 64 hexadecimal characters with or without `0x`. Document 002 (IdentityConfig) calls it a
 * 64-byte key.
 * @throws InvalidPrivateKeyError
 */
export function parsePrivateKey(text: string): PrivateKey {
  const hex = /^0x/i.test(text) ? text.slice(2) : text;
  if (hex.length !== 64) throw new InvalidPrivateKeyError(`it has ${hex.length} characters instead of 64`);
  if (!/^[0-9a-f]+$/i.test(hex)) throw new InvalidPrivateKeyError('it is not hexadecimal');
  return new PrivateKey(Buffer.from(hex, 'hex'));
}

export function generatePrivateKey(): PrivateKey {
  // A random number is out of range once in 2^127 draws.
  for (;;) {
    try {
      return new PrivateKey(randomBytes(32));
    } catch (error) {
      if (!(error instanceof InvalidPrivateKeyError)) throw error;
    }
  }
}
