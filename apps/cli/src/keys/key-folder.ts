import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KeyFolder } from '@ssb/keys';
import { fail, failWith } from '../fail.js';

const DEVELOPMENT_FOLDER = join('.data', 'secrets');

/** Runs the work of a command on the folder of --dir, or of npm start. @param creates whether it may be missing */
export function onFolder<O extends { readonly dir?: string }>(
  work: (folder: KeyFolder, options: O) => Promise<void>,
  creates = false,
): (options: O) => Promise<void> {
  return async (options) => {
    const dir = options.dir ?? (existsSync(DEVELOPMENT_FOLDER) ? DEVELOPMENT_FOLDER : undefined);
    if (dir === undefined)
      return fail('No folder of keys: give --dir, or run this in the folder of npm start.');
    if (!creates && !existsSync(dir)) return fail(`The folder ${dir} does not exist. Give another --dir.`);
    try {
      await work(new KeyFolder(resolve(dir)), options);
    } catch (error) {
      const { startFault, code } = error as Error & { startFault?: string; code?: string };
      if (startFault === undefined && code === undefined) throw error;
      failWith(error);
    }
  };
}
