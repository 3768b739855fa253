import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../lifecycle/configuration-error.js';
import { writeFileAtomically } from './atomic-write.js';
import { readConfiguredFile } from './configured-file.js';

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_SECRET_BYTES = 32;

/** What a text is encrypted with. Only the same three values decrypt it. */
export interface EncryptionContext {
  /** At least 32 bytes. */
  readonly secret: Buffer;
  /** Separates the uses of one secret: each purpose has its own keys. */
  readonly purpose: string;
  /** What the text belongs to. It is authenticated but not stored, so an encrypted text cannot be swapped for another. */
  readonly label: Uint8Array;
}

/**
 * Encrypts with AES-256-GCM under a key derived (HKDF-SHA-256) from the secret and a new salt.
 * @returns salt, nonce, tag and ciphertext, in this order
 */
export function encrypt(plaintext: Uint8Array, { secret, purpose, label }: EncryptionContext): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, salt, purpose), nonce);
  cipher.setAAD(label);
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), body]);
}

/** Decrypts what `encrypt` returned; undefined when it is damaged or has another context. Never throws. */
export function decrypt(
  encrypted: Uint8Array,
  { secret, purpose, label }: EncryptionContext,
): Buffer | undefined {
  if (encrypted.length < SALT_BYTES + NONCE_BYTES + TAG_BYTES) return undefined;
  let offset = 0;
  const take = (length: number): Uint8Array => encrypted.subarray(offset, (offset += length));
  const key = deriveKey(secret, take(SALT_BYTES), purpose);
  const decipher = createDecipheriv('aes-256-gcm', key, take(NONCE_BYTES));
  decipher.setAAD(label);
  decipher.setAuthTag(take(TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(offset)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function deriveKey(secret: Buffer, salt: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, 32));
}

/** The file was not written by `writeEncryptedFile` with this secret. */
export class EncryptedFileError extends ConfigurationError {
  override readonly name = 'EncryptedFileError';

  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`${path} cannot be decrypted: ${reason}.`);
  }
}

const MAGIC = Buffer.from('ENCRYPTED1\n');

/** Encrypts `plaintext` into a file, atomically. Only the owner may read it. */
export async function writeEncryptedFile(path: string, plaintext: Buffer, secret: Buffer): Promise<void> {
  await writeFileAtomically(path, Buffer.concat([MAGIC, encrypt(plaintext, fileContext(secret))]));
}

/**
 * Reads and decrypts what `writeEncryptedFile` wrote.
 * @throws EncryptedFileError when the file is damaged or was encrypted with another secret
 */
export async function readEncryptedFile(path: string, secret: Buffer): Promise<Buffer> {
  return decryptFile(path, await readConfiguredFile(path), secret);
}

/**
 * Like `readEncryptedFile`, for content that is already in memory.
 * @param path for errors
 * @throws EncryptedFileError
 */
export function decryptFile(path: string, file: Buffer, secret: Buffer): Buffer {
  if (!file.subarray(0, MAGIC.length).equals(MAGIC))
    throw new EncryptedFileError(path, 'it is not an encrypted file');
  const plaintext = decrypt(file.subarray(MAGIC.length), fileContext(secret));
  if (plaintext === undefined)
    throw new EncryptedFileError(path, 'it was encrypted with another secret, or is damaged');
  return plaintext;
}

function fileContext(secret: Buffer): EncryptionContext {
  return { secret, purpose: 'settlement-bus-bridge encrypted file', label: MAGIC };
}

/** A secret file is missing, or too short to be a secret. */
export class SecretFileError extends ConfigurationError {
  override readonly name = 'SecretFileError';

  constructor(
    message: string,
    readonly path?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reads a secret of at least 32 bytes, without the white space at its ends. @throws SecretFileError */
export async function readSecretFile(path: string): Promise<Buffer> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SecretFileError(
      `The secret file ${path} cannot be read (${code}); create it with at least ${MIN_SECRET_BYTES} random bytes, or make it readable.`,
      path,
      { cause },
    );
  });
  return parseSecret(path, text);
}

/** The secret in the text of a file, as `readSecretFile`. @throws SecretFileError */
export function parseSecret(path: string, text: string): Buffer {
  const secret = Buffer.from(text.trim());
  if (secret.length < MIN_SECRET_BYTES) {
    throw new SecretFileError(
      `The secret file ${path} holds ${secret.length} bytes; at least ${MIN_SECRET_BYTES} are needed.`,
      path,
    );
  }
  return secret;
}
