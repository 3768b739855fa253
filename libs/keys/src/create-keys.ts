import { chmod, stat } from 'node:fs/promises';
import { PRIVATE_FILE_MODE, writeFileAtomically } from '@ssb/platform';
import { KeyRing } from './domain/key-ring.js';

/** Writes a file that only its owner reads, whatever the umask. */
export async function writeKeyFile(path: string, content: string): Promise<void> {
  await writeFileAtomically(path, content);
  await chmod(path, PRIVATE_FILE_MODE);
}

/** A key ring with one version, active at once. */
export function createKeyRing(secret: string, now: Date): KeyRing {
  return new KeyRing([{ version: 1, activeFrom: now, secret }]);
}

export async function fileExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
