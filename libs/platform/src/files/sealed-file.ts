import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from './atomic-write.js';

/** The file is not what `sealToFile` wrote with this secret. */
export class SealedFileError extends Error {
  override readonly name = 'SealedFileError';

  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`${path} cannot be opened: ${reason}`);
  }
}

const MAGIC = Buffer.from('SEALED1\n');
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Writes `plaintext` encrypted with AES-256-GCM, atomically and readable by the owner alone.
 * The file key is derived (HKDF-SHA-256) from `secret` and a salt of the file's own, so nonces cannot collide across files.
 */
export async function sealToFile(path: string, plaintext: Buffer, secret: Buffer): Promise<void> {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', fileKey(secret, salt), nonce);
  cipher.setAAD(MAGIC);
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  await writeFileAtomically(path, Buffer.concat([MAGIC, salt, nonce, cipher.getAuthTag(), body]), 0o600);
}

/**
 * Reads what `sealToFile` wrote.
 * @throws SealedFileError when the file is damaged or was sealed with another secret
 */
export async function unsealFromFile(path: string, secret: Buffer): Promise<Buffer> {
  const file = await readFile(path);
  const header = MAGIC.length + SALT_BYTES + NONCE_BYTES + TAG_BYTES;
  if (file.length < header || !file.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new SealedFileError(path, 'it is not a sealed file');
  }
  let at = MAGIC.length;
  const take = (length: number): Buffer => file.subarray(at, (at += length));
  const salt = take(SALT_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', fileKey(secret, salt), take(NONCE_BYTES));
  decipher.setAAD(MAGIC);
  decipher.setAuthTag(take(TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(file.subarray(header)), decipher.final()]);
  } catch {
    throw new SealedFileError(path, 'it was sealed with another secret, or is damaged');
  }
}

function fileKey(secret: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'settlement-bus-bridge sealed file', 32));
}
