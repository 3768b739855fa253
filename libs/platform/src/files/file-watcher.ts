import { createHash } from 'node:crypto';
import { ConfiguredFileError, readConfiguredFiles } from './configured-file.js';

export interface FileWatcherOptions {
  paths: readonly string[];
  intervalMs: number;
  /** Applies changed contents when two checks in a row find them. Default: when two readings of one check find them. */
  needsTwoChecks?: boolean;
  /** Applies the contents, in the order of `paths`. When it throws or rejects, the previous contents stay in use. */
  apply: (contents: readonly Buffer[]) => void | Promise<void>;
  /** Called after changed contents were applied. */
  onApplied: () => void;
  /** Called when changed contents cannot be read or applied, once for each content and error. */
  onRefused: (error: unknown) => void;
  /** Called when usable contents follow refused ones: other ones, or again those in use. */
  onRecovered?: () => void;
  /** Called after each check, changed or not. */
  onChecked?: () => void;
}

/**
 * Reads a few small files at intervals and applies their contents together when one has changed. It compares contents, so every way of
 * replacing a file counts, also the symbolic links of Kubernetes secrets.
 */
export class FileWatcher {
  /** Empty after contents that were not applied: they may be partly in use. */
  private appliedDigest = '';
  private previousDigest = '';
  private lastRefusal: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: FileWatcherOptions) {}

  /** Applies the files as they are, then checks them at intervals until `stop`. @throws the error of reading or applying them */
  async start(): Promise<void> {
    await this.load();
    this.watch();
  }

  /** As `start`, but the files may be missing or unusable: then they are refused, and tried again at each check. Never rejects. */
  async startOptional(): Promise<void> {
    await this.examine(() => undefined);
    this.watch();
  }

  /** Applies the files as they are. @throws the error of reading or applying them */
  async load(): Promise<void> {
    const contents = await this.read();
    await this.options.apply(contents);
    this.appliedDigest = digest(contents);
    this.options.onChecked?.();
  }

  /** Checks the loaded files at intervals until `stop`. */
  watch(): void {
    this.scheduleCheck();
  }

  /** Checks the files now. Never rejects: contents that cannot be applied are refused, and tried again at the next check. */
  async check(): Promise<void> {
    await this.examine(this.options.onApplied);
  }

  /** Ends the checks. Resolves when a check in progress has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.checking;
  }

  private async examine(onApplied: () => void): Promise<void> {
    const { apply, onRecovered, onChecked } = this.options;
    let found = 'unreadable';
    try {
      const contents = await this.read();
      found = digest(contents);
      if (found !== this.appliedDigest) {
        if (!(await this.isStable(found)) || this.stopped) return;
        this.requireContents(contents);
        this.appliedDigest = '';
        await apply(contents);
        this.appliedDigest = found;
        onApplied();
      }
      if (this.lastRefusal !== undefined) onRecovered?.();
      this.lastRefusal = undefined;
    } catch (error) {
      this.refuse(found, error);
    } finally {
      this.previousDigest = found;
      onChecked?.();
    }
  }

  private scheduleCheck(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.checking = this.check().finally(() => this.scheduleCheck());
    }, this.options.intervalMs).unref();
  }

  /** A file that is being written, or a new certificate with the key of the previous one, is not applied. */
  private async isStable(found: string): Promise<boolean> {
    if (this.options.needsTwoChecks) return found === this.previousDigest;
    return found === digest(await this.read());
  }

  /** Programs empty a file before they write it. An empty list of callers or users would end the access of all. */
  private requireContents(contents: readonly Buffer[]): void {
    const at = contents.findIndex(({ length }) => length === 0);
    const path = this.options.paths[at];
    if (path !== undefined) throw new ConfiguredFileError(path, 'is empty; write its new content to it.');
  }

  private refuse(found: string, error: unknown): void {
    const refusal = `${found} ${String(error)}`;
    if (refusal === this.lastRefusal || this.stopped) return;
    this.lastRefusal = refusal;
    this.options.onRefused(error);
  }

  private read(): Promise<Buffer[]> {
    return readConfiguredFiles(this.options.paths);
  }
}

function digest(contents: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(`${content.length}:`).update(content);
  return hash.digest('base64');
}
