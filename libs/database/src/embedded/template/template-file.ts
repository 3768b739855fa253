import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const DIGEST_BYTES = 32;

/**
 * The cluster of a template file: a tar with its SHA-256 behind it, so that a file which was cut off or altered is never made a database
 * of.
 * @returns undefined when there is no such file, or it is broken
 */
export async function readTemplateFile(path: string): Promise<Blob | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined || bytes.length <= DIGEST_BYTES) return undefined;
  const tar = bytes.subarray(0, -DIGEST_BYTES);
  const intact = createHash('sha256').update(tar).digest().equals(bytes.subarray(-DIGEST_BYTES));
  return intact ? new Blob([tar]) : undefined;
}
