import { join } from 'node:path';
import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { readSecretFile, sealToFile, unsealFromFile } from '@ssb/platform';

/** The private key at rest: encrypted with AES-256-GCM under the operator's secret file, readable by the owner alone. */
export class IdentityFile {
  private readonly path: string;

  private constructor(
    folder: string,
    private readonly secret: Buffer,
  ) {
    this.path = join(folder, 'identity.sealed');
  }

  /** @throws SecretFileError when the secret file is missing or too short */
  static async open(folder: string, secretFile: string): Promise<IdentityFile> {
    return new IdentityFile(folder, await readSecretFile(secretFile));
  }

  /**
   * The stored key, or undefined before the first.
   * @throws SealedFileError when the file is damaged or was sealed with another secret
   */
  async load(): Promise<PrivateKey | undefined> {
    const plain = await unsealFromFile(this.path, this.secret).catch((error: unknown) => {
      if (isMissingFile(error)) return undefined;
      throw error;
    });
    if (plain === undefined) return undefined;
    const key = parsePrivateKey(plain.toString('utf8'));
    plain.fill(0);
    return key;
  }

  async store(key: PrivateKey): Promise<void> {
    await sealToFile(this.path, Buffer.from(key.toHex(), 'utf8'), this.secret);
  }
}

function isMissingFile(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
