import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import {
  readSecretFile,
  sealToFile,
  SecretFileError,
  unsealFromFile,
  WatchedFiles,
  type Logger,
} from '@ssb/platform';
import type { Settings } from '../settings.js';

/** Where the private key rests while the gateway is off. */
export interface KeySource {
  /**
   * The key as it is now; undefined when there is none yet. Called once, at start.
   * @throws Error that says what is wrong, without the key: the gateway does not start with a key it cannot read
   */
  load(): Promise<PrivateKey | undefined>;
  /** Stores a key durably in place of the old one. Undefined where the operator's own file is the only way to change it. */
  readonly store?: (key: PrivateKey) => Promise<void>;
  /** Reports each key that the source comes to hold by itself, until `close`. */
  watch?(onKey: (key: PrivateKey) => void): void;
  close?(): Promise<void>;
}

type SourceSettings = Pick<
  Settings,
  | 'DATA_FOLDER'
  | 'IDENTITY_SECRET'
  | 'IDENTITY_SECRET_FILE'
  | 'IDENTITY_KEY_FILE'
  | 'FILES_RELOAD_INTERVAL_MS'
>;

const MIN_SECRET_BYTES = 32;

/** A mounted key when IDENTITY_KEY_FILE names one, otherwise the encrypted file. @throws Error when the settings do not say which */
export async function openKeySource(
  settings: SourceSettings,
  log: Logger,
  changed: (outcome: 'taken' | 'refused') => void,
): Promise<KeySource> {
  const { IDENTITY_KEY_FILE: mounted, IDENTITY_SECRET_FILE: file, IDENTITY_SECRET: secret } = settings;
  const named = [mounted, file, secret].filter((each) => each !== undefined);
  if (named.length !== 1) {
    throw new Error('Set one of IDENTITY_SECRET_FILE, IDENTITY_SECRET and IDENTITY_KEY_FILE, and only one.');
  }
  if (mounted !== undefined) {
    return new MountedKey(mounted, settings.FILES_RELOAD_INTERVAL_MS, log, changed);
  }
  return new EncryptedKey(settings.DATA_FOLDER, file ? await readSecretFile(file) : secretOf(secret ?? ''));
}

/** As a secret file: white space at its ends does not count. */
function secretOf(text: string): Buffer {
  const secret = Buffer.from(text.trim());
  if (secret.length >= MIN_SECRET_BYTES) return secret;
  throw new SecretFileError(
    `IDENTITY_SECRET holds ${secret.length} bytes; at least ${MIN_SECRET_BYTES} are needed.`,
  );
}

/**
 * The private key in a file that the operator mounts (a secret of the platform, a RAM disk): 64 hexadecimal characters, with or without
 * `0x`. A changed file that holds no key is refused with an error in the log, and the previous key stays in use.
 */
class MountedKey implements KeySource {
  private watched: WatchedFiles | undefined;

  constructor(
    private readonly path: string,
    private readonly intervalMs: number,
    private readonly log: Logger,
    private readonly changed: (outcome: 'taken' | 'refused') => void,
  ) {}

  /** @throws the file system's error, or InvalidPrivateKeyError */
  async load(): Promise<PrivateKey> {
    return keyOf(await readFile(this.path));
  }

  watch(onKey: (key: PrivateKey) => void): void {
    const { path, intervalMs, log, changed } = this;
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

  async close(): Promise<void> {
    await this.watched?.stop();
  }
}

/** The private key at rest: encrypted with AES-256-GCM under the operator's secret, readable by the owner alone. */
class EncryptedKey implements KeySource {
  private readonly path: string;

  constructor(
    folder: string,
    private readonly secret: Buffer,
  ) {
    this.path = join(folder, 'identity.sealed');
  }

  /** @throws SealedFileError when the file is damaged or was encrypted with another secret */
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
}

function keyOf(content: Buffer): PrivateKey {
  return parsePrivateKey(content.toString('utf8').trim());
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
