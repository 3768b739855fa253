import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensurePrivateFolder, PRIVATE_FILE_MODE } from './private-folder.js';

/**
 * Replaces a file in one step: a reader, also after a crash, sees either the old content or the new. By default only the owner may read
 * it; missing folders are created for the owner alone.
 */
export async function writeFileAtomically(
  path: string,
  content: Buffer | string,
  mode = PRIVATE_FILE_MODE,
): Promise<void> {
  ensurePrivateFolder(dirname(path));
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
