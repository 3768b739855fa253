import { join } from 'node:path';
import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { sealToFile, unsealFromFile } from '@ssb/platform';
import type { KeySource } from './key-source.js';

/** The private key at rest: encrypted with AES-256-GCM under the operator's secret, readable by the owner alone. */
export class SealedKey implements KeySource {
  private readonly path: string;

  /** @param secret at least 32 bytes */
  constructor(
    folder: string,
    private readonly secret: Buffer,
  ) {
    this.path = join(folder, 'identity.sealed');
  }

  /** @throws SealedFileError when the file is damaged or was sealed with another secret */
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

  readonly store = (key: PrivateKey): Promise<void> =>
    sealToFile(this.path, Buffer.from(key.toHex(), 'utf8'), this.secret);

  /** The file is the gateway's own: nobody else changes it. */
  watch(): void {
    return;
  }

  close(): void {
    return;
  }
}

function isMissingFile(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
