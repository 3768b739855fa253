import { existsSync, readFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemplateFile } from './make-template-file.js';
import { readTemplateFile } from './template-file.js';

const ENGINE = 'node_modules/@electric-sql/pglite/package.json';

/** The folder whose `node_modules` holds the engine. */
export function packagesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, ENGINE)) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/**
 * An empty cluster for a new database to begin as, from a file that the first caller on this installation makes: unpacking it costs a
 * tenth of initialising one. The file lies beside the engine's own code and is trusted as much, so a folder that anybody may write to
 * is not used.
 * @param folder where the file is kept
 * @returns undefined where it can be neither read nor made: the engine then initialises by itself, more slowly
 */
export async function emptyCluster(
  folder = join(packagesFolder(), 'node_modules/.cache/settlement-bus-bridge'),
): Promise<Blob | undefined> {
  const packages = packagesFolder();
  try {
    const { version } = JSON.parse(readFileSync(join(packages, ENGINE), 'utf8')) as { version: string };
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (((await stat(folder)).mode & 0o002) !== 0) return undefined;
    const file = join(folder, `empty-cluster-${version}.tar`);
    const found = await readTemplateFile(file);
    if (found !== undefined) return found;
    await makeTemplateFile(file, packages);
    return await readTemplateFile(file);
  } catch {
    // A template only saves time: without one the database is made all the same, or fails for a reason of its own.
    return undefined;
  }
}
