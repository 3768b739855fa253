import { FileWatcher, parseConfiguredFile, type Logger } from '@ssb/platform';
import { parseKeyRing, type KeyRing } from './domain/key-ring.js';

/** Keys that can change while the process runs. */
export interface KeySource {
  current(): KeyRing;
  /** Reads the keys again, because a version is unknown. Never rejects: unusable keys leave the previous ones in use. */
  refresh(): Promise<void>;
}

/** Keys that stay the same, for commands and tests. */
export class FixedKeys implements KeySource {
  constructor(private readonly ring: KeyRing) {}

  current(): KeyRing {
    return this.ring;
  }

  async refresh(): Promise<void> {}
}

export interface KeyRingFileOptions {
  readonly path: string;
  /** How often the file is read: KEYS_RELOAD_INTERVAL_MS. */
  readonly intervalMs: number;
  readonly log: Logger;
  /** Default: `parseKeyRing`. Throws errors that hold nothing of the content. */
  readonly parse?: (content: Buffer) => KeyRing;
}

/** `refused`: the previous keys stay in use. */
export type ReloadListener = (outcome: 'applied' | 'refused') => void;

/** At most one extra reading in this time, because anyone who can write an unknown version causes one. */
const MIN_REFRESH_INTERVAL_MS = 1_000;

/** A key ring in a file, read again when it changes. */
export class KeyRingFile implements KeySource {
  private ring: KeyRing | undefined;
  private refreshedAt = -Infinity;
  private refreshing: Promise<void> | undefined;
  private readonly watcher: FileWatcher;
  private onReload: ReloadListener = () => undefined;

  private constructor({ path, intervalMs, log, parse = parseText }: KeyRingFileOptions) {
    this.watcher = new FileWatcher({
      paths: [path],
      intervalMs,
      apply: ([content = Buffer.alloc(0)]) => {
        this.ring = parseConfiguredFile(path, () => parse(content));
      },
      onApplied: () => {
        log.info({ path }, 'keys reloaded');
        this.onReload('applied');
      },
      onRefused: (err) => {
        log.error({ path, err }, 'keys reload failed');
        this.onReload('refused');
      },
    });
  }

  /** @throws ConfiguredFileError, or the error of the file system with the path */
  static async open(options: KeyRingFileOptions): Promise<KeyRingFile> {
    const file = new KeyRingFile(options);
    await file.watcher.start();
    return file;
  }

  current(): KeyRing {
    if (this.ring === undefined) throw new Error('the key ring file is not open');
    return this.ring;
  }

  /** Calls the listener after each change of the file. */
  observe(listener: ReloadListener): void {
    this.onReload = listener;
  }

  async refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.refreshedAt >= MIN_REFRESH_INTERVAL_MS) {
      this.refreshedAt = now;
      this.refreshing = this.watcher.check();
    }
    // A caller that comes during a reading needs its result as well.
    await this.refreshing;
  }

  /** Ends the readings. */
  async close(): Promise<void> {
    await this.watcher.stop();
  }
}

function parseText(content: Buffer): KeyRing {
  return parseKeyRing(content.toString('utf8'));
}
