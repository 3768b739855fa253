import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Development secrets: random, made once, readable by the owner alone. */
export class SecretsFolder {
  constructor(readonly path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /** File of a secret, made when missing: 32 random bytes as text. */
  file(name: string, form: (bytes: Buffer) => string = (bytes) => bytes.toString('base64url')): string {
    const path = join(this.path, name);
    if (!existsSync(path)) writeFileSync(path, form(randomBytes(32)), { mode: 0o600, flag: 'wx' });
    return path;
  }

  /** The secret itself. */
  value(name: string, form?: (bytes: Buffer) => string): string {
    return readFileSync(this.file(name, form), 'utf8');
  }
}

/** Form of a Standard Webhooks secret. */
export const webhookSecret = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`;
