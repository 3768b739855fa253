import { didOfKey, generatePrivateKey, parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { readSecretFile, writeEncryptedFile, readEncryptedFile } from '@ssb/platform';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DevelopmentSecrets } from '../system/environments.js';
import { SecretsFolder } from './secrets-folder.js';

export interface ProvisionedSecrets extends DevelopmentSecrets {
  /** Key of the role issuer, who also creates channels. */
  readonly issuerKey: PrivateKey;
}

/** Generates the missing secrets and encrypted keys of a development system in `folder`. Existing ones stay unchanged. */
export async function ensureDevelopmentSecrets(
  folder: string,
  participant: string,
): Promise<ProvisionedSecrets> {
  const secrets = new SecretsFolder(join(folder, 'secrets'));
  const encryptionSecretFile = secrets.file('encryption.secret');
  const originKeyFile = join(folder, 'bus-publisher', 'origin.key');
  const originKey = await ensureEncryptedKey(originKeyFile, encryptionSecretFile);
  const issuerKey = await ensureEncryptedKey(join(folder, 'issuer', 'issuer.key'), encryptionSecretFile);
  return {
    participantClient: { id: participant.toLowerCase(), secret: secrets.value('participant-client.secret') },
    operatorClient: { id: 'operator', secret: secrets.value('operator-client.secret') },
    gatewayPasswords: {
      publisher: secrets.value('gateway-publisher.password'),
      subscriber: secrets.value('gateway-subscriber.password'),
    },
    encryptionSecretFile,
    tokenAdminFile: secrets.file('token-admin.secret'),
    brokerTokenFile: secrets.file('broker-token.secret'),
    originKeyFile,
    originDid: didOfKey(originKey),
    issuerDid: didOfKey(issuerKey),
    issuerKey,
  };
}

/** A secp256k1 key in an encrypted file, generated if missing. The file holds the key's 64 hexadecimal digits. */
async function ensureEncryptedKey(path: string, encryptionSecretFile: string): Promise<PrivateKey> {
  const encryptionSecret = await readSecretFile(encryptionSecretFile);
  if (existsSync(path))
    return parsePrivateKey((await readEncryptedFile(path, encryptionSecret)).toString('utf8'));
  const key = generatePrivateKey();
  await writeEncryptedFile(path, Buffer.from(key.toHex()), encryptionSecret);
  return key;
}
