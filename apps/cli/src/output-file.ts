import { writeFileSync } from 'node:fs';
import { standardOutput } from '@ssb/platform';
import { fail } from './fail.js';

/**
 * Writes text to a file, or to the standard output without one. A file that cannot be written is reported by `fail`.
 * @returns whether it was written
 */
export function writeOutput(text: string, path: string | undefined): boolean {
  if (path === undefined) {
    standardOutput.writeExact(text);
    return true;
  }
  try {
    writeFileSync(path, text);
    return true;
  } catch (error) {
    fail(`${path} cannot be written: ${(error as Error).message}. Give another path with --out.`);
    return false;
  }
}
