import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from './private-folder.js';

/**
 * Replaces a file durably in one step: a reader, also after a crash, sees either the old content or the new. By default only the owner may
 * read it; missing folders are created for the owner alone.
 */
export async function writeFileAtomically(
  path: string,
  content: Buffer | string,
  mode = PRIVATE_FILE_MODE,
): Promise<void> {
  const folder = dirname(resolve(path));
  const firstCreated = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const draft = `${path}.${randomUUID()}.draft`;
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolders(folder, firstCreated === undefined ? folder : dirname(firstCreated));
}

/** Makes the names in a folder durable, and those in its parents up to the last one. Windows cannot open a folder. */
async function syncFolders(folder: string, last: string): Promise<void> {
  if (process.platform === 'win32') return;
  for (let current = folder; ; current = dirname(current)) {
    const handle = await open(current, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (current === last || current === dirname(current)) return;
  }
}
