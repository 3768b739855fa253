import type { Dirent } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_FOLDER_MODE, writeFileDurably } from '@ssb/platform';
import { DocumentStoreError } from '../document-store.js';
import type { ListedObject, ObjectStorage } from './object-storage.js';

/** A file that is being written. A crash leaves it behind. */
const DRAFT = '.draft';
/** Younger drafts and empty folders may belong to a write that continues. */
const MIN_LEFTOVER_AGE_MS = 86_400_000;

/** Objects as files of a folder, which replicas on several machines can share. Only the owner may read it. */
export class FolderStorage implements ObjectStorage {
  /** @param mayCreate whether the first use creates a missing folder. A folder that is missing later is an error: its volume is gone. */
  constructor(
    private readonly folder: string,
    private mayCreate = false,
  ) {}

  put(key: string, content: Uint8Array): Promise<void> {
    return this.attempt(() => writeFileDurably(join(this.folder, key), Buffer.from(content)));
  }

  read(key: string): Promise<Buffer | undefined> {
    return this.attempt(() => readFile(join(this.folder, key)).catch(ignoreMissing));
  }

  async *open(key: string): AsyncGenerator<Uint8Array> {
    const file = await this.attempt(() => open(join(this.folder, key)));
    try {
      for await (const part of file.createReadStream()) yield part as Uint8Array;
    } catch (error) {
      throw toStoreError(error);
    }
  }

  remove(key: string): Promise<boolean> {
    return this.attempt(() =>
      unlink(join(this.folder, key)).then(
        () => true,
        (error: NodeJS.ErrnoException) => ignoreMissing(error) ?? false,
      ),
    );
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    for (const { name, isFolder } of await this.attempt(() => this.entriesOf(prefix))) {
      const key = `${prefix}${name}`;
      if (isFolder) yield* this.list(`${key}/`);
      else if (!key.endsWith(DRAFT)) {
        const found = await this.attempt(() => stat(join(this.folder, key)).catch(ignoreMissing));
        if (found !== undefined) yield { key, bytes: found.size };
      }
    }
  }

  tidy(): Promise<void> {
    return this.attempt(() => this.tidyFolder(''));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async tidyFolder(prefix: string): Promise<void> {
    for (const { name, isFolder } of await this.entriesOf(prefix)) {
      const path = join(this.folder, prefix, name);
      // Before the folder's content is removed, which changes its time.
      const isOld = await isLeftover(path);
      if (isFolder) await this.tidyFolder(`${prefix}${name}/`);
      if (!isOld) continue;
      if (isFolder) await rmdir(path).catch(ignoreUsed);
      else if (name.endsWith(DRAFT)) await rm(path, { force: true });
    }
  }

  private async entriesOf(
    prefix: string,
  ): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]> {
    const path = join(this.folder, prefix);
    const entries = (await readdir(path, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
    return entries
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .sort(byName)
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  }

  /** A missing folder is not an empty one: a wrong path or a missing volume must not look like a store without documents. */
  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (this.mayCreate) await mkdir(this.folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
      this.mayCreate = false;
      if (!(await stat(this.folder)).isDirectory()) throw new Error(`${this.folder} is not a folder`);
      return await work();
    } catch (error) {
      throw toStoreError(error);
    }
  }
}

function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

async function isLeftover(path: string): Promise<boolean> {
  const found = await stat(path).catch(ignoreMissing);
  return found !== undefined && Date.now() - found.mtimeMs > MIN_LEFTOVER_AGE_MS;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

function ignoreUsed(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') ignoreMissing(error);
}

function toStoreError(error: unknown): Error {
  if (error instanceof DocumentStoreError) return error;
  return new DocumentStoreError(`The folder of the documents cannot be used: ${(error as Error).message}`, {
    cause: error,
  });
}
