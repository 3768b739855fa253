import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Only the owner reads and writes the file. */
const MODE = 0o600;

/** The file of a private server's password, in its data folder. */
export function passwordFile(folder: string): string {
  return join(folder, 'password');
}

/** The password of the server on this folder. The first call creates it. */
export function ensurePassword(folder: string): string {
  const file = passwordFile(folder);
  const password = randomBytes(32).toString('hex');
  try {
    writeFileSync(file, password, { mode: MODE, flag: 'wx' });
    return password;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  chmodSync(file, MODE);
  const existing = readFileSync(file, 'utf8').trim();
  if (existing !== '') return existing;
  // A start that was killed between two steps leaves an empty file.
  writeFileSync(file, password);
  return password;
}
