import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import {
  ConfigurationError,
  ensureDataFolder,
  parseConfiguredFile,
  readConfiguredFile,
  readSecretFile,
  writeEncryptedFile,
  SecretFileError,
  readEncryptedFile,
  FileWatcher,
  type Logger,
} from '@ssb/platform';
import type { Settings } from '../settings.js';

/** Where the private key is stored. */
export interface KeySource {
  /**
   * Reads the stored key; undefined when there is none yet. Called once, at start.
   * @throws Error that says what is wrong and does not contain the key; the gateway then does not start
   */
  load(): Promise<PrivateKey | undefined>;
  /** Replaces the key durably. Undefined when only the operator's file can change it. */
  readonly store?: (key: PrivateKey) => Promise<void>;
  /** Reports each new key in a changed file, until `close`. */
  watch?(onKey: (key: PrivateKey) => void): void;
  close?(): Promise<void>;
}

type KeySourceSettings = Pick<
  Settings,
  'DATA_DIR' | 'IDENTITY_SECRET' | 'IDENTITY_SECRET_FILE' | 'IDENTITY_KEY_FILE' | 'FILES_RELOAD_INTERVAL_MS'
>;

const MIN_SECRET_BYTES = 32;

/** A mounted key when IDENTITY_KEY_FILE is set, otherwise the encrypted file. @throws Error unless exactly one source is set */
export async function openKeySource(
  settings: KeySourceSettings,
  log: Logger,
  onReload: (outcome: 'applied' | 'refused') => void,
): Promise<KeySource> {
  const { IDENTITY_KEY_FILE: mounted, IDENTITY_SECRET_FILE: file, IDENTITY_SECRET: secret } = settings;
  const sources = [mounted, file, secret].filter((each) => each !== undefined);
  if (sources.length !== 1) {
    throw new ConfigurationError(
      'Set one of IDENTITY_SECRET_FILE, IDENTITY_SECRET and IDENTITY_KEY_FILE, and only one.',
    );
  }
  if (mounted !== undefined) {
    return new MountedKey(mounted, settings.FILES_RELOAD_INTERVAL_MS, log, onReload);
  }
  const encryptionSecret = file ? await readSecretFile(file) : parseSecret(secret ?? '');
  return new EncryptedKey(settings.DATA_DIR, encryptionSecret, log);
}

/** Removes white space at the ends, as in a secret file. */
function parseSecret(text: string): Buffer {
  const secret = Buffer.from(text.trim());
  if (secret.length >= MIN_SECRET_BYTES) return secret;
  throw new SecretFileError(
    `IDENTITY_SECRET has ${secret.length} bytes; at least ${MIN_SECRET_BYTES} are required.`,
  );
}

/**
 * The private key in a file that the operator mounts: 64 hexadecimal characters, with or without `0x`.
 * While a changed file has no valid key, the previous key stays in use.
 */
class MountedKey implements KeySource {
  private file: FileWatcher | undefined;

  constructor(
    private readonly path: string,
    private readonly intervalMs: number,
    private readonly log: Logger,
    private readonly onReload: (outcome: 'applied' | 'refused') => void,
  ) {}

  /** @throws the file system's error, or ConfiguredFileError */
  async load(): Promise<PrivateKey> {
    const content = await readConfiguredFile(this.path);
    return parseConfiguredFile(this.path, () => parseKeyFile(content));
  }

  watch(onKey: (key: PrivateKey) => void): void {
    const { path, intervalMs, log, onReload } = this;
    this.file = new FileWatcher({
      paths: [path],
      intervalMs,
      apply: ([content = Buffer.alloc(0)]) => onKey(parseKeyFile(content)),
      onApplied: () => onReload('applied'),
      onRefused: (error) => {
        onReload('refused');
        // The error never contains the key.
        log.error({ err: error }, 'identity key file reload failed');
      },
    });
    this.file.start().catch((error: unknown) => {
      log.error({ err: error }, 'identity key file watch failed');
    });
  }

  async close(): Promise<void> {
    await this.file?.stop();
  }
}

/** The private key in a file of the gateway, encrypted with AES-256-GCM under the operator's secret. Only the owner can read it. */
class EncryptedKey implements KeySource {
  private readonly path: string;

  constructor(
    private readonly folder: string,
    private readonly secret: Buffer,
    private readonly log: Logger,
  ) {
    this.path = join(folder, 'identity.encrypted');
  }

  /** @throws EncryptedFileError when the file is damaged or was encrypted with another secret; the file system's error for an unusable folder */
  async load(): Promise<PrivateKey | undefined> {
    ensureDataFolder(this.folder, this.log);
    const plain = await readEncryptedFile(this.path, this.secret).catch((error: unknown) => {
      if (isMissingFile(error)) return undefined;
      throw error;
    });
    if (plain === undefined) {
      // A request will store the first key here.
      await access(this.folder, constants.W_OK);
      return undefined;
    }
    const key = parseConfiguredFile(this.path, () => parsePrivateKey(plain.toString('utf8')));
    plain.fill(0);
    return key;
  }

  readonly store = (key: PrivateKey): Promise<void> =>
    writeEncryptedFile(this.path, Buffer.from(key.toHex(), 'utf8'), this.secret);
}

function parseKeyFile(content: Buffer): PrivateKey {
  return parsePrivateKey(content.toString('utf8').trim());
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
