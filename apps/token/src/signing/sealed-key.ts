import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** A stored key cannot be opened: it was sealed with another secret, under another name, or is damaged. */
export class SealedKeyError extends Error {
  override readonly name = 'SealedKeyError';

  constructor(readonly keyId: string) {
    super(
      `The signing key ${keyId} cannot be opened: it was sealed with another secret than that of KEY_SECRET_FILE, or is damaged.`,
    );
  }
}

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM under a key of its own, derived (HKDF-SHA-256) from the secret and a salt; bound to the key's name. */
export function sealKey(keyId: string, plaintext: Buffer, secret: Buffer): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret, salt), nonce);
  cipher.setAAD(Buffer.from(keyId));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), body]);
}

/** @throws SealedKeyError */
export function openKey(keyId: string, sealed: Uint8Array, secret: Buffer): Buffer {
  if (sealed.length < SALT_BYTES + NONCE_BYTES + TAG_BYTES) throw new SealedKeyError(keyId);
  let at = 0;
  const take = (length: number): Uint8Array => sealed.subarray(at, (at += length));
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret, take(SALT_BYTES)), take(NONCE_BYTES));
  decipher.setAAD(Buffer.from(keyId));
  decipher.setAuthTag(take(TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(at)), decipher.final()]);
  } catch {
    throw new SealedKeyError(keyId);
  }
}

function sealingKey(secret: Buffer, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'settlement-bus-bridge token signing key', 32));
}
