import { chownSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file or folder of this machine that a container sees at the same path. */
export interface Mount {
  readonly path: string;
  readonly writable: boolean;
}

/** User and group of the images. */
const USER = 1000;

/**
 * Mounts the files and folders that settings name: an existing file read-only, and a folder, or the folder of a file that the app
 * creates, writable. Those in `ownedFolder` get the user of the images as their owner.
 */
export function mountSettings(
  environment: Readonly<Record<string, string>>,
  ownedFolder: string,
): readonly Mount[] {
  const mounts = new Map<string, Mount>();
  for (const [name, value] of Object.entries(environment)) {
    if (!value.startsWith('/')) continue;
    const mount = isFile(value)
      ? { path: value, writable: false }
      : { path: name.endsWith('_DIR') ? value : dirname(value), writable: true };
    if (mount.writable) mkdirSync(mount.path, { recursive: true, mode: 0o700 });
    if (mount.path.startsWith(ownedFolder)) chownSync(mount.path, USER, USER);
    mounts.set(mount.path, mount);
  }
  return [...mounts.values()];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
