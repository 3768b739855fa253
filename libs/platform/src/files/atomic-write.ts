import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from './private-folder.js';

/**
 * Replaces a file in one step: a reader, also after a crash, sees either the old content or the new. By default only the owner may read
 * it; missing folders are created for the owner alone.
 */
export async function writeFileAtomically(
  path: string,
  content: Buffer | string,
  mode = PRIVATE_FILE_MODE,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER_MODE });
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
}

/** As `writeFileAtomically`; resolves once the new content survives a failure of the machine, with the folders that were missing. */
export async function writeFileDurably(path: string, content: Buffer | string): Promise<void> {
  const folder = dirname(resolve(path));
  const firstCreated = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  await writeFileAtomically(path, content);
  const last = firstCreated === undefined ? folder : dirname(firstCreated);
  for (let current = folder; ; current = dirname(current)) {
    await syncFolder(current);
    if (current === last) return;
  }
}

/** Makes the names of the files in a folder durable. Windows cannot open a folder. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
