import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '../logging/logger.js';

/** Only the owner may open a private folder, and only the owner may read a private file. */
export const PRIVATE_FOLDER_MODE = 0o700;
export const PRIVATE_FILE_MODE = 0o600;

/** A folder or file of private data that other users of the machine may open. */
export interface OpenPath {
  readonly path: string;
  /** Four octal digits, such as `0755`. */
  readonly mode: string;
}

/**
 * Creates a folder for private data, with its parents. An existing folder keeps its mode, because its owner may have shared it on purpose.
 * @returns the folder when other users may open it, for a report
 */
export function ensurePrivateFolder(path: string): OpenPath | undefined {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  return findOpenFolder(path);
}

/** The folder when it exists and other users may open it. */
export function findOpenFolder(path: string): OpenPath | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? findOpenPath(path) : undefined;
}

/** The folder or file when it exists and other users may open it. Windows has no such modes. */
export function findOpenPath(path: string): OpenPath | undefined {
  if (process.platform === 'win32') return undefined;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & 0o077) === 0) return undefined;
  return { path, mode: (stat.mode & 0o7777).toString(8).padStart(4, '0') };
}

/** As `ensurePrivateFolder`; the report is a warning in the log of an app. */
export function ensureDataFolder(path: string, log: Logger): void {
  const open = ensurePrivateFolder(path);
  if (open !== undefined) log.warn(open, 'data folder open to other users');
}

/** The folder of a file that an app writes. */
export function ensureDataFolderOf(file: string, log: Logger): void {
  ensureDataFolder(dirname(file), log);
}
