import { readFile } from 'node:fs/promises';
import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { WatchedFiles, type Logger } from '@ssb/platform';
import type { KeySource } from './key-source.js';

export interface MountedKeyOptions {
  /** Holds the key as 64 hexadecimal characters, with or without `0x`; white space around it does not count. */
  readonly path: string;
  readonly intervalMs: number;
  readonly log: Logger;
  /** Told of each change of the file, and whether its key is in use. */
  readonly changed: (outcome: 'taken' | 'refused') => void;
}

/**
 * The private key in a file that the operator mounts (a secret of the platform, a RAM disk). The gateway never writes it. A changed
 * file that holds no key is refused loudly, and the key from before stays in use.
 */
export class MountedKey implements KeySource {
  readonly store = undefined;
  private watched: WatchedFiles | undefined;

  constructor(private readonly options: MountedKeyOptions) {}

  /** @throws the file system's error, or InvalidPrivateKeyError */
  async load(): Promise<PrivateKey> {
    return keyOf(await readFile(this.options.path));
  }

  watch(onKey: (key: PrivateKey) => void): void {
    const { path, intervalMs, log, changed } = this.options;
    this.watched = new WatchedFiles({
      paths: [path],
      intervalMs,
      take: ([content = Buffer.alloc(0)]) => onKey(keyOf(content)),
      changed: () => changed('taken'),
      refused: (error) => {
        changed('refused');
        // The error tells what is wrong with the key and never holds it.
        log.error({ err: error }, 'the changed IDENTITY_KEY_FILE holds no key, the identity stays as it was');
      },
    });
    this.watched.start().catch((error: unknown) => {
      log.error({ err: error }, 'the IDENTITY_KEY_FILE cannot be watched');
    });
  }

  close(): void {
    this.watched?.stop();
  }
}

function keyOf(content: Buffer): PrivateKey {
  return parsePrivateKey(content.toString('utf8').trim());
}
