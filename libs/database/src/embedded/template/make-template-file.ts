import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Initialising takes five seconds; a busy machine is given time. */
const MOST_MS = 120_000;

/**
 * What the child runs: an empty cluster's tar and its SHA-256, in the file that the argument names. It is a text, since the child is plain
 * Node wherever this file was compiled to.
 */
const PROGRAM = `
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
const engine = await PGlite.create('memory://');
const tar = Buffer.from(await (await engine.dumpDataDir('none')).arrayBuffer());
await engine.close();
await writeFile(process.argv[1], [tar, createHash('sha256').update(tar).digest()], { mode: 0o600, flag: 'wx' });
`;

/**
 * Writes a template file, in one step for whoever reads. Initialising a cluster leaves hundreds of megabytes behind, so a process of its
 * own does it and takes them with it.
 * @param packages folder in which the engine's package is found
 * @throws when the child fails or takes longer than two minutes, or the file cannot be written
 */
export async function makeTemplateFile(path: string, packages: string): Promise<void> {
  const fresh = `${path}.${process.pid}.${Date.now()}.new`;
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM, fresh], {
      cwd: packages,
      // The parent's NODE_OPTIONS are not meant for the child.
      env: {},
      timeout: MOST_MS,
    });
    await rename(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
}
