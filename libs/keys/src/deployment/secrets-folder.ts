import { ensurePrivateFolder, PRIVATE_FILE_MODE } from '@ssb/platform';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Random secrets of development and tests, each generated once and readable by the owner alone. */
export class SecretsFolder {
  constructor(readonly path: string) {
    ensurePrivateFolder(path);
  }

  /** Path of a secret's file. A missing secret is generated from 32 random bytes. */
  file(name: string, encode: (bytes: Buffer) => string = (bytes) => bytes.toString('base64url')): string {
    const path = join(this.path, name);
    if (!existsSync(path))
      writeFileSync(path, encode(randomBytes(32)), { mode: PRIVATE_FILE_MODE, flag: 'wx' });
    return path;
  }

  /** The secret itself. A missing secret is generated. */
  value(name: string, encode?: (bytes: Buffer) => string): string {
    return readFileSync(this.file(name, encode), 'utf8');
  }
}

/** Encodes a Standard Webhooks secret. */
export const toWebhookSecret = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`;
