import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '@ssb/platform';
import { readProgress, type Progress } from '../domain/progress.js';

/** Keeps the progress of an endless play in a file, so that it goes on where it left off. */
export class ProgressFile {
  private lastWrite: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {}

  /** Undefined when nothing was kept. @throws UnreadableProgressError */
  async read(): Promise<Progress | undefined> {
    try {
      return readProgress(await readFile(this.path, 'utf8'), this.path);
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }

  /** On disk once resolved; one write at a time, so that an older note never replaces a newer one. */
  keep(progress: Progress): Promise<void> {
    const text = `${JSON.stringify(progress)}\n`;
    const write = this.lastWrite.then(() => writeFileAtomically(this.path, text));
    this.lastWrite = write.catch(() => undefined);
    return write;
  }
}

function isMissingFile(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
