import { findOpenFolder } from '@ssb/platform';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A warning when other users of the machine may open the data folder or a folder in it; else empty. */
export function describeOpenFolders(data: string): string {
  const folders = [data, ...readdirSync(data).map((name) => join(data, name))];
  const open = folders.flatMap((path) => findOpenFolder(path) ?? []);
  if (open.length === 0) return '';
  const listed = open.map(({ path, mode }) => `${path} (${mode})`).join(', ');
  return (
    `\n  WARNING: other users of this machine may open ${listed}.\n` +
    `  Run: chmod 700 ${open.map(({ path }) => path).join(' ')}\n\n`
  );
}
