import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a sealed text is for. It opens again with the same three alone. */
export interface Sealing {
  /** At least 32 bytes. */
  readonly secret: Buffer;
  /** Tells the uses of one secret apart: each has keys of its own. */
  readonly purpose: string;
  /** What the text belongs to, authenticated but not stored: a sealed text that was put in another's place does not open. */
  readonly label: Uint8Array;
}

/**
 * Encrypts with AES-256-GCM under a key derived (HKDF-SHA-256) from the secret and a new salt, so nonces cannot collide
 * between texts. The result is salt, nonce, tag and ciphertext, in this order.
 */
export function seal(plaintext: Uint8Array, { secret, purpose, label }: Sealing): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, salt, purpose), nonce);
  cipher.setAAD(label);
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), body]);
}

/** Opens what `seal` made; undefined when it is damaged, or was sealed with another secret, purpose or label. Never throws. */
export function unseal(sealed: Uint8Array, { secret, purpose, label }: Sealing): Buffer | undefined {
  if (sealed.length < SALT_BYTES + NONCE_BYTES + TAG_BYTES) return undefined;
  let at = 0;
  const take = (length: number): Uint8Array => sealed.subarray(at, (at += length));
  const key = keyOf(secret, take(SALT_BYTES), purpose);
  const decipher = createDecipheriv('aes-256-gcm', key, take(NONCE_BYTES));
  decipher.setAAD(label);
  decipher.setAuthTag(take(TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(at)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function keyOf(secret: Buffer, salt: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, 32));
}
