import { createHash } from 'node:crypto';
import { readConfiguredFile } from './configured-file.js';

export interface FileWatcherOptions {
  paths: readonly string[];
  intervalMs: number;
  /** Takes the contents, in the order of `paths`, into use. When it throws or rejects, the previous contents stay in use. */
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
  private appliedDigest = '';
  private lastRefusal: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: FileWatcherOptions) {}

  /** Applies the files as they are, then checks them at intervals until `stop`. @throws the error of reading or applying them */
  async start(): Promise<void> {
    const contents = await this.read();
    await this.options.apply(contents);
    this.appliedDigest = digest(contents);
    this.options.onChecked?.();
    this.scheduleCheck();
  }

  /** Checks the files now. Never rejects: contents that cannot be applied are refused, and tried again at the next check. */
  async check(): Promise<void> {
    const { apply, onApplied, onRecovered, onChecked } = this.options;
    let found = 'unreadable';
    try {
      const contents = await this.read();
      found = digest(contents);
      if (found !== this.appliedDigest) {
        // Two equal readings in a row: a new certificate is not applied with the key of the previous one.
        const isStable = digest(await this.read()) === found;
        if (!isStable || this.stopped) return;
        await apply(contents);
        this.appliedDigest = found;
        onApplied();
      }
      if (this.lastRefusal !== undefined) onRecovered?.();
      this.lastRefusal = undefined;
    } catch (error) {
      this.refuse(found, error);
    } finally {
      onChecked?.();
    }
  }

  /** Ends the checks. Resolves when a check in progress has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.checking;
  }

  private scheduleCheck(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.checking = this.check().finally(() => this.scheduleCheck());
    }, this.options.intervalMs).unref();
  }

  private refuse(found: string, error: unknown): void {
    const refusal = `${found} ${String(error)}`;
    if (refusal === this.lastRefusal || this.stopped) return;
    this.lastRefusal = refusal;
    this.options.onRefused(error);
  }

  private read(): Promise<Buffer[]> {
    return Promise.all(this.options.paths.map(readConfiguredFile));
  }
}

function digest(contents: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(`${content.length}:`).update(content);
  return hash.digest('base64');
}
