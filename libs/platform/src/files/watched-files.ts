import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export interface WatchedFilesOptions {
  paths: readonly string[];
  intervalMs: number;
  /** Takes the contents, in the order of `paths`, into use. Throws or rejects when they cannot be used: the old ones then stay. */
  take: (contents: readonly Buffer[]) => void | Promise<void>;
  /** Called when changed contents have been taken into use. */
  changed: () => void;
  /** Called once for each error of each content. */
  refused: (error: unknown) => void;
  /** Called after each look, changed or not. */
  looked?: () => void;
}

/**
 * Reads a few small files at intervals and hands their contents on together when one has changed. It compares contents: a renewal by
 * renaming, by writing in place or by swapping a symbolic link (as Kubernetes renews secrets) is a change, a touched file is none. Contents
 * count once two readings in a row agree, so that a certificate is not paired with the key of the one before it.
 */
export class WatchedFiles {
  /** Digest of what is in use. */
  private inUse = '';
  private refusal: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: WatchedFilesOptions) {}

  /** Takes the files as they are, then looks at them at intervals until `stop`. @throws whatever reading or taking them throws */
  async start(): Promise<void> {
    const contents = await this.read();
    await this.options.take(contents);
    this.inUse = digestOf(contents);
    this.options.looked?.();
    this.lookLater();
  }

  /** Looks once, now. Never rejects: contents that cannot be used are refused, and tried again at the next look. */
  async look(): Promise<void> {
    const { take, changed, looked } = this.options;
    let digest = 'unreadable';
    try {
      const contents = await this.read();
      digest = digestOf(contents);
      if (digest !== this.inUse) {
        const beingWritten = digestOf(await this.read()) !== digest;
        if (beingWritten || this.stopped) return;
        await take(contents);
        this.inUse = digest;
        changed();
      }
      this.refusal = undefined;
    } catch (error) {
      this.refuse(digest, error);
    } finally {
      looked?.();
    }
  }

  /** No look after this one. Resolves when a look in progress has ended; it takes nothing that it has not begun to take. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private lookLater(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look().finally(() => this.lookLater());
    }, this.options.intervalMs).unref();
  }

  private refuse(digest: string, error: unknown): void {
    const refusal = `${digest} ${String(error)}`;
    if (refusal === this.refusal || this.stopped) return;
    this.refusal = refusal;
    this.options.refused(error);
  }

  private read(): Promise<Buffer[]> {
    return Promise.all(this.options.paths.map((path) => readFile(path)));
  }
}

function digestOf(contents: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(`${content.length}:`).update(content);
  return hash.digest('base64');
}
