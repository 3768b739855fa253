import { writeFileSync } from 'node:fs';
import { standardOutput } from '@ssb/platform/cli';
import { CommandError } from './exit.js';

/** Of a new file: evidence has the data of an event. */
const PRIVATE_MODE = 0o600;

/** Writes text or bytes to a file, or to the standard output without one. @throws CommandError when the file cannot be written */
export function writeOutput(content: string | Uint8Array, path: string | undefined): void {
  if (path === undefined) return standardOutput.writeExact(content);
  try {
    writeFileSync(path, content, { mode: PRIVATE_MODE });
  } catch (error) {
    throw new CommandError(
      `${path} cannot be written: ${(error as Error).message}. Give another path with --out.`,
    );
  }
}
