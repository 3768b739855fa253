import { type LoadedTls, type TlsFileNames, UnusableTlsFilesError, loadTlsFiles } from './tls-files.js';

export interface TlsFileWatchOptions {
  readonly files: TlsFileNames;
  /** How often the files are looked at, milliseconds. */
  readonly everyMs: number;
  /** Puts other, usable content to use. */
  readonly onChange: (loaded: LoadedTls) => Promise<void>;
  /** Told once for each unusable content, or expired certificate; what was in use before stays in use. */
  readonly onRefused: (error: UnusableTlsFilesError) => void;
  /** After each look, changed or not. */
  readonly onLook?: (inUse: LoadedTls) => void;
  readonly now?: () => Date;
}

/**
 * Keeps certificates up to date with their files. It looks at the contents, at intervals: a renewal by renaming, by writing in place or by
 * swapping a symbolic link (as Kubernetes does with a whole folder) is all the same to it, and none is missed for want of an event. Content
 * counts once two readings in a row agree, so that a certificate is not paired with the key of the one before it.
 */
export class TlsFileWatch {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;
  private refused: string | undefined;

  private constructor(
    private readonly options: TlsFileWatchOptions,
    private loaded: LoadedTls,
  ) {}

  /** Reads the files for the first time. @throws UnusableTlsFilesError */
  static async open(options: TlsFileWatchOptions): Promise<TlsFileWatch> {
    const watch = new TlsFileWatch(options, await loadTlsFiles(options.files));
    options.onLook?.(watch.loaded);
    return watch;
  }

  get inUse(): LoadedTls {
    return this.loaded;
  }

  /** Begins to look at intervals. */
  start(): void {
    this.timer = setTimeout(() => {
      this.looking = this.look().finally(() => {
        if (!this.stopped) this.start();
      });
    }, this.options.everyMs);
    this.timer.unref();
  }

  /** Looks once, now. Harmless beside the regular looks. */
  async look(): Promise<void> {
    const { files, onChange, onLook } = this.options;
    try {
      const found = await this.settled(files);
      if (found === undefined || this.stopped) return;
      this.refused = undefined;
      if (found.digest !== this.loaded.digest) {
        await onChange(found);
        this.loaded = found;
      }
    } catch (error) {
      this.refuse(this.asUnusable(error));
    } finally {
      onLook?.(this.loaded);
    }
  }

  /** No look after this one; a look under way is brought to its end. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  /** What two readings agree on; undefined while the files are being written. */
  private async settled(files: TlsFileNames): Promise<LoadedTls | undefined> {
    const found = await loadTlsFiles(files);
    if (found.digest === this.loaded.digest) return found;
    const again = await loadTlsFiles(files);
    if (again.digest !== found.digest) return undefined;
    const now = this.options.now?.() ?? new Date();
    if (found.expiresAt !== undefined && found.expiresAt <= now)
      throw new UnusableTlsFilesError(
        [files.cert ?? ''],
        `the new certificate expired at ${found.expiresAt.toISOString()}`,
      );
    return found;
  }

  private asUnusable(error: unknown): UnusableTlsFilesError {
    if (error instanceof UnusableTlsFilesError) return error;
    const { ca, cert, key } = this.options.files;
    const names = [ca, cert, key].filter((name) => name !== undefined);
    return new UnusableTlsFilesError(names, 'they could not be put to use', { cause: error });
  }

  private refuse(error: UnusableTlsFilesError): void {
    if (error.message === this.refused) return;
    this.refused = error.message;
    this.options.onRefused(error);
  }
}
