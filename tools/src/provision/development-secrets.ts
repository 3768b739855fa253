import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { didOfKey, generatePrivateKey, parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { readSecretFile, sealToFile, unsealFromFile } from '@ssb/platform';
import { SecretsFolder } from './secrets-folder.js';
import type { DevelopmentSecrets } from '../system/environments.js';

export interface ProvisionedSecrets extends DevelopmentSecrets {
  /** Key of the role issuer, who also creates the channels. */
  readonly issuerKey: PrivateKey;
}

/** Makes what is missing of a development system's secrets and sealed keys in `folder`, and leaves the rest alone. */
export async function ensureDevelopmentSecrets(
  folder: string,
  participant: string,
): Promise<ProvisionedSecrets> {
  const secrets = new SecretsFolder(join(folder, 'secrets'));
  const sealingFile = secrets.file('sealing.secret');
  const originKeyFile = join(folder, 'bus-publisher', 'origin.key');
  const originKey = await ensureSealedKey(originKeyFile, sealingFile);
  const issuerKey = await ensureSealedKey(join(folder, 'issuer', 'issuer.key'), sealingFile);
  return {
    participantClient: { id: participant.toLowerCase(), secret: secrets.value('participant-client.secret') },
    operatorClient: { id: 'operator', secret: secrets.value('operator-client.secret') },
    gatewayPasswords: {
      publisher: secrets.value('gateway-publisher.password'),
      subscriber: secrets.value('gateway-subscriber.password'),
    },
    sealingFile,
    tokenAdminFile: secrets.file('token-admin.secret'),
    brokerTokenFile: secrets.file('broker-token.secret'),
    originKeyFile,
    originDid: didOfKey(originKey),
    issuerDid: didOfKey(issuerKey),
    issuerKey,
  };
}

/** A secp256k1 key in a sealed file, made when missing. The file holds the key's 64 hexadecimal digits. */
async function ensureSealedKey(path: string, sealingFile: string): Promise<PrivateKey> {
  const sealing = await readSecretFile(sealingFile);
  if (existsSync(path)) return parsePrivateKey((await unsealFromFile(path, sealing)).toString('utf8'));
  const key = generatePrivateKey();
  await sealToFile(path, Buffer.from(key.toHex()), sealing);
  return key;
}
