import { X509Certificate } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { TimeoutError, withTimeout } from '@ssb/net';
import { ConfigurationError } from '../lifecycle/configuration-error.js';

/** A file that a setting names cannot be used. The start names the setting too. */
export class ConfiguredFileError extends ConfigurationError {
  override readonly name = 'ConfiguredFileError';

  /** @param problem follows the path in a sentence */
  constructor(
    readonly path: string,
    problem: string,
    cause?: unknown,
  ) {
    super(`${path} ${problem}`, { cause });
  }
}

/** A file system that does not respond, such as NFS, must not stop everything else. */
const READ_TIMEOUT_MS = 10_000;

/** Files that are still being read after their timeout. Each occupies one of the few threads of Node. */
const pending = new Set<string>();

/**
 * Reads a file within a time limit. The error names the path, also when it is a folder.
 * @throws ConfiguredFileError when it is a pipe or a device, or is not read in time; otherwise the file system's error
 */
export function readConfiguredFile(path: string): Promise<Buffer> {
  return readWithin(path, READ_TIMEOUT_MS);
}

/** Reads files one after the other, so that of several errors it is always the first one. */
export async function readConfiguredFiles(paths: readonly string[]): Promise<Buffer[]> {
  const contents: Buffer[] = [];
  for (const path of paths) contents.push(await readConfiguredFile(path));
  return contents;
}

/** As `readConfiguredFile`. @param read for tests */
export async function readWithin(path: string, timeoutMs: number, read = readRegularFile): Promise<Buffer> {
  if (pending.has(path)) throw new ConfiguredFileError(path, NOT_READ);
  const reading = read(path);
  try {
    return await withTimeout(reading, timeoutMs);
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw Object.assign(error as Error, { path });
    pending.add(path);
    const forget = (): void => void pending.delete(path);
    reading.then(forget, forget);
    throw new ConfiguredFileError(path, NOT_READ, error);
  }
}

const NOT_READ = 'was not read in time; check its file system.';

async function readRegularFile(path: string): Promise<Buffer> {
  // Otherwise the opening of a pipe waits for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() && !stat.isDirectory())
      throw new ConfiguredFileError(path, 'is a pipe or a device, but a file is needed.');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Parses the content of a file.
 * @param parse throws errors that hold nothing of the content
 * @throws ConfiguredFileError with the message of the error
 */
export function parseConfiguredFile<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new ConfiguredFileError(path, `cannot be used. ${(error as Error).message}`, error);
  }
}

/** As `readFileSync`. The error names the path, also when it is a folder. */
export function readConfiguredText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}

/** Reads a PEM file of certificate authorities. @throws ConfiguredFileError, or the file system's error */
export function readCaFile(path: string): string {
  const pem = readConfiguredText(path);
  assertCertificate(path, pem);
  return pem;
}

/** @throws ConfiguredFileError */
export function assertCertificate(path: string, pem: string | Buffer): void {
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new ConfiguredFileError(path, 'contains no readable PEM certificate.', cause);
  }
}
