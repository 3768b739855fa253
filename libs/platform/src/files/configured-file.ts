import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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

/** As `readFile`. The error names the path, also when it is a folder. */
export async function readConfiguredFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path });
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
  requireCertificate(path, pem);
  return pem;
}

/** @throws ConfiguredFileError */
export function requireCertificate(path: string, pem: string | Buffer): void {
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new ConfiguredFileError(path, 'contains no readable PEM certificate.', cause);
  }
}
