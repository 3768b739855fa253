import { readFile } from 'node:fs/promises';
import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { readSecretFile, unsealFromFile } from '@ssb/platform';

/** The issuer's key cannot be had. The message names the file and never what is in it. */
export class IssuerKeyError extends Error {
  override readonly name = 'IssuerKeyError';
}

/**
 * The key that decides on roles: from a file sealed with the secret of another, or, without that one, from a file of 64 hexadecimal digits.
 * @throws IssuerKeyError
 */
export async function readIssuerKey(keyFile: string, secretFile: string | undefined): Promise<PrivateKey> {
  try {
    if (secretFile === undefined) return parsePrivateKey((await readFile(keyFile, 'utf8')).trim());
    const secret = await readSecretFile(secretFile);
    return parsePrivateKey((await unsealFromFile(keyFile, secret)).toString('utf8').trim());
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = secretFile === undefined ? '; a sealed one needs --secret-file' : '';
    throw new IssuerKeyError(`no key from ${keyFile}: ${reason}${hint}`, { cause });
  }
}
