import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export interface WatchedFilesOptions {
  paths: readonly string[];
  intervalMs: number;
  /** Takes the contents, in the order of `paths`, into use. Throws or rejects when they cannot be used: the old ones then stay. */
  take: (contents: readonly Buffer[]) => void | Promise<void>;
  /** Told once for each change: taken into use, or refused with the reason. */
  changed: () => void;
  refused: (error: unknown) => void;
}

/**
 * Looks at a few small files again and again, and hands them on together when one has changed. It goes by content, so a
 * swapped symbolic link (as Kubernetes renews secrets) is a change and a touched file is none.
 */
export class WatchedFiles {
  private seen = '';
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly options: WatchedFilesOptions) {}

  /** Takes the files as they are, then keeps looking until `stop`. @throws whatever reading or taking them throws */
  async start(): Promise<void> {
    const contents = await this.read();
    await this.options.take(contents);
    this.seen = fingerprintOf(contents);
    this.lookLater();
  }

  /** No file is looked at any more; one that is being read just now is not taken. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private lookLater(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.look(), this.options.intervalMs).unref();
  }

  /** Never rejects: what is wrong with new files is told, once for each state that they are in. */
  private async look(): Promise<void> {
    const { take, changed, refused } = this.options;
    let state = '';
    try {
      const contents = await this.read();
      state = fingerprintOf(contents);
      if (this.stopped || state === this.seen) return;
      await take(contents);
      changed();
    } catch (error) {
      state ||= `unreadable: ${String(error)}`;
      if (state !== this.seen && !this.stopped) refused(error);
    } finally {
      this.seen = state;
      this.lookLater();
    }
  }

  private read(): Promise<Buffer[]> {
    return Promise.all(this.options.paths.map((path) => readFile(path)));
  }
}

function fingerprintOf(contents: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(`${content.length}:`).update(content);
  return hash.digest('base64');
}
