import { statSync, writeFileSync } from 'node:fs';
import { standardOutput } from '@ssb/platform/cli';
import { CommandError, EXIT } from './exit.js';

/** Of a new file: evidence has the data of an event. */
const PRIVATE_MODE = 0o600;

export interface OutputFile {
  readonly out?: string;
  readonly force?: true;
}

/**
 * Writes text or bytes to a file, or to the standard output without one.
 * @throws CommandError when the file cannot be written, or is there and may not be replaced
 */
export function writeOutput(content: string | Uint8Array, { out: path, force }: OutputFile): void {
  if (path === undefined) return standardOutput.writeExact(content);
  // A device is written to, not replaced.
  const mayExist = force === true || statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  try {
    writeFileSync(path, content, { mode: PRIVATE_MODE, flag: mayExist ? 'w' : 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new CommandError(
        `${path} exists. Nothing was written: give another path with --out, or --force to replace it.`,
        EXIT.usage,
      );
    throw new CommandError(`${path} cannot be written: ${message}. Give another path with --out.`);
  }
}
