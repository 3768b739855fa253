import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { generatePrivateKey, parsePrivateKey, type PrivateKey } from '@ssb/identity';
import {
  parseConfiguredFile,
  PRIVATE_FILE_MODE,
  readEncryptedFile,
  readSecretFile,
  writeEncryptedFile,
} from '@ssb/platform';

/** A secp256k1 key in an encrypted file, generated if missing. The file holds the key's 64 hexadecimal digits. */
export async function ensureEncryptedKey(path: string, encryptionSecretFile: string): Promise<PrivateKey> {
  const encryptionSecret = await readSecretFile(encryptionSecretFile);
  if (existsSync(path)) {
    const content = await readEncryptedFile(path, encryptionSecret);
    return parseConfiguredFile(path, () => parsePrivateKey(content.toString('utf8')));
  }
  const key = generatePrivateKey();
  await writeEncryptedFile(path, Buffer.from(key.toHex()), encryptionSecret);
  await chmod(path, PRIVATE_FILE_MODE);
  return key;
}
