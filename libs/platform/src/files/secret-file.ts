import { readFile } from 'node:fs/promises';

const LEAST_BYTES = 32;

/** A secret file is missing or too short to be a secret. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

/** Reads a secret of at least 32 bytes; white space at its ends (an editor's last newline) does not count. */
export async function readSecretFile(path: string): Promise<Buffer> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SecretFileError(`The secret file ${path} cannot be read.`, { cause });
  });
  const secret = Buffer.from(text.trim());
  if (secret.length < LEAST_BYTES) {
    throw new SecretFileError(
      `The secret file ${path} holds ${secret.length} bytes; at least ${LEAST_BYTES} are needed.`,
    );
  }
  return secret;
}
