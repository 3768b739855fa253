import { ensurePrivateFolder, PRIVATE_FILE_MODE } from '@ssb/platform';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Random secrets of development and tests, each generated once and readable by the owner alone. */
export class SecretsFolder {
  constructor(readonly path: string) {
    ensurePrivateFolder(path);
  }

  /** Returns the path of a secret. Generates the secret from 32 random bytes if it is missing. */
  ensureFile(
    name: string,
    encode: (bytes: Buffer) => string = (bytes) => bytes.toString('base64url'),
  ): string {
    const path = join(this.path, name);
    if (!existsSync(path))
      writeFileSync(path, encode(randomBytes(32)), { mode: PRIVATE_FILE_MODE, flag: 'wx' });
    return path;
  }

  /** Returns the secret. Generates it if it is missing. */
  value(name: string, encode?: (bytes: Buffer) => string): string {
    return readFileSync(this.ensureFile(name, encode), 'utf8');
  }
}

/** Encodes a Standard Webhooks secret. */
export const toWebhookSecret = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`;
