import { createReadStream, type Dirent } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateFolder, writeFileAtomically } from '@ssb/platform';
import { DocumentStoreError } from '../document-store.js';
import type { ListedObject, ObjectStorage } from './object-storage.js';

/** A file that is being written. A crash leaves it behind. */
const DRAFT = '.draft';
const MAX_DRAFT_AGE_MS = 86_400_000;

/** Objects as files of a folder, which replicas on several machines can share. Only the owner may read it. */
export class FolderStorage implements ObjectStorage {
  constructor(private readonly folder: string) {}

  put(key: string, content: Uint8Array): Promise<void> {
    return this.attempt(async () => {
      ensurePrivateFolder(this.folder);
      await writeFileAtomically(join(this.folder, key), Buffer.from(content));
    });
  }

  read(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.attempt(async () => {
      const file = await open(join(this.folder, key)).catch(ignoreMissing);
      return file && this.contentOf(file.createReadStream());
    });
  }

  remove(key: string): Promise<void> {
    return this.attempt(() => rm(join(this.folder, key), { force: true }));
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    const entries = await this.attempt(
      async () =>
        (await readdir(join(this.folder, prefix), { withFileTypes: true }).catch(ignoreMissing)) ?? [],
    );
    for (const entry of entries.sort(byName)) {
      const key = `${prefix}${entry.name}`;
      if (entry.isDirectory()) yield* this.list(`${key}/`);
      else if (entry.isFile()) {
        const found = await this.attempt(() => stat(join(this.folder, key)).catch(ignoreMissing));
        if (found === undefined) continue;
        if (!key.endsWith(DRAFT)) yield { key, bytes: found.size };
        else if (Date.now() - found.mtimeMs > MAX_DRAFT_AGE_MS) await this.remove(key);
      }
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async *contentOf(stream: ReturnType<typeof createReadStream>): AsyncGenerator<Uint8Array> {
    try {
      for await (const part of stream) yield part as Uint8Array;
    } catch (error) {
      throw toStoreError(error);
    }
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(error);
    }
  }
}

function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

function toStoreError(error: unknown): Error {
  if (error instanceof DocumentStoreError) return error;
  return new DocumentStoreError(`The folder of the documents cannot be used: ${(error as Error).message}`, {
    cause: error,
  });
}
