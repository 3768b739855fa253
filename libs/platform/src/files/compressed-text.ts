import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** More than any response that the client of the reporting API accepts. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

const decompress = promisify(gunzip);

/** The text of a gzip. @returns undefined when it is damaged or has another SHA-256 (lower-case hexadecimal) */
export async function decompressText(compressed: Buffer, sha256: string): Promise<string | undefined> {
  const bytes = await decompress(compressed, { maxOutputLength: MAX_TEXT_BYTES }).catch(() => undefined);
  if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256) return undefined;
  return bytes.toString();
}
