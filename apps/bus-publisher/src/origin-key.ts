import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { readSecretFile, unsealFromFile } from '@ssb/platform';

/**
 * Opens the bridge's own key, with which it states the origin of each event.
 *
 * @throws SecretFileError, SealedFileError, InvalidPrivateKeyError
 */
export async function openOriginKey(keyFile: string, secretFile: string): Promise<PrivateKey> {
  const content = await unsealFromFile(keyFile, await readSecretFile(secretFile));
  return parsePrivateKey(content.toString('utf8').trim());
}
