import { AccessFileError, parseAccessFile, type AccessFileContent } from '@ssb/keys';
import { FileWatcher, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';

/** Notified of each changed file: in use, refused, or usable again after a refused one. */
export interface ReloadObserver {
  readonly onApplied: () => void;
  readonly onRefused: (error: unknown) => void;
  readonly onRecovered: () => void;
}

type AccessFileSettings = Pick<Settings, 'API_ACCESS_FILE' | 'CLIENT_CA_FILE' | 'TLS_RELOAD_INTERVAL_MS'>;

/** Who may use the API: API_ACCESS_FILE, read again when it changes. A file with errors is refused as a whole, and the previous one stays in use. */
export class AccessFile {
  private content: AccessFileContent | undefined;
  private readonly listeners = new Set<() => void>();
  private observer: Partial<ReloadObserver> = {};
  private readonly watcher: FileWatcher;
  private isRefused = false;
  private usableAt = 0;

  private constructor(settings: AccessFileSettings, log: Logger) {
    const { API_ACCESS_FILE: path, TLS_RELOAD_INTERVAL_MS: intervalMs } = settings;
    this.watcher = new FileWatcher({
      paths: [path],
      intervalMs,
      apply: ([bytes = Buffer.alloc(0)]) => {
        const content = parseAccessFile(path, bytes);
        requireClientCa(settings, content);
        this.content = content;
        for (const listener of this.listeners) listener();
      },
      onApplied: () => {
        log.info({ path }, 'access file reloaded');
        this.observer.onApplied?.();
      },
      onRefused: (err) => {
        this.isRefused = true;
        log.error({ path, err }, 'access file reload failed');
        this.observer.onRefused?.(err);
      },
      onRecovered: () => {
        this.isRefused = false;
        this.observer.onRecovered?.();
      },
      onChecked: () => {
        if (!this.isRefused) this.usableAt = Date.now();
      },
    });
  }

  /** @throws AccessFileError, or the file system's error */
  static async open(settings: AccessFileSettings, log: Logger): Promise<AccessFile> {
    const file = new AccessFile(settings, log);
    await file.watcher.load();
    return file;
  }

  current(): AccessFileContent {
    if (this.content === undefined) throw new Error('the access file is not open');
    return this.content;
  }

  /** Time since the file was last read without errors, milliseconds. */
  get ageMs(): number {
    return Date.now() - this.usableAt;
  }

  /** Calls the listener after each change. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  observe(observer: Partial<ReloadObserver>): void {
    this.observer = observer;
  }

  /** Reads the file again regularly. */
  watch(): void {
    this.watcher.watch();
  }

  async close(): Promise<void> {
    await this.watcher.stop();
  }
}

/** Without authorities no certificate is verified, so the entries would never match. */
function requireClientCa(
  { API_ACCESS_FILE: path, CLIENT_CA_FILE }: AccessFileSettings,
  { certificates }: AccessFileContent,
): void {
  if (certificates.length === 0 || CLIENT_CA_FILE !== undefined) return;
  throw new AccessFileError(path, [
    'certificates needs CLIENT_CA_FILE, which is not set; set it, or remove certificates',
  ]);
}
