import {
  API_ACCESS_FILE,
  API_TOKEN_FILE,
  ensureApiAccess,
  ensureEncryptedKey,
  SecretsFolder,
  SIGN_IN_LINK_FILE,
} from '@ssb/keys/deployment';
import { didOfKey, parsePrivateKey } from '@ssb/identity';
import { ENCRYPTION_SECRET_FILE, KeyFolder } from '@ssb/keys';
import { join } from 'node:path';

/** Properties that end in `File` are paths of secret files. */
export type DevelopmentSecrets = Awaited<ReturnType<typeof ensureDevelopmentSecrets>>;

/** As long as the certificates of the sandbox. */
const TOKEN_LIFETIME_MS = 3_650 * 86_400_000;

/** SIGN_IN_LINK_FILE of the system with this data folder. */
export const signInLinkFile = (folder: string): string => join(folder, 'secrets', SIGN_IN_LINK_FILE);

/** Generates the missing secrets and encrypted keys of a development system in `folder`. Existing ones stay unchanged. */
export async function ensureDevelopmentSecrets(folder: string, participant: string) {
  const secrets = new SecretsFolder(join(folder, 'secrets'));
  const keys = new KeyFolder(secrets.path);
  await keys.create(new Date());
  const encryptionSecretFile = join(secrets.path, ENCRYPTION_SECRET_FILE);
  const issuerKey = await ensureEncryptedKey(join(folder, 'issuer', 'issuer.key'), encryptionSecretFile);
  const origins = (await keys.read('origin')).keys.map(({ secret }) => didOfKey(parsePrivateKey(secret)));
  ensureApiAccess(secrets.path, { name: 'developer', lifetimeMs: TOKEN_LIFETIME_MS });
  const gateway = (side: 'publisher' | 'subscriber') => ({
    /** Of the bridge's user, a key ring. */
    passwordFile: keys.pathOf(`gateway-${side}`),
    /** USERS_FILE with that user. */
    usersFile: join(secrets.path, `gateway-${side}.users.json`),
    /** Of a user with every right. */
    adminPassword: secrets.value(`gateway-${side}-admin.password`),
    adminPasswordFile: secrets.ensureFile(`gateway-${side}-admin.password`),
  });
  return {
    participantClient: { id: participant.toLowerCase(), secret: secrets.value('participant-client.secret') },
    operatorClient: { id: 'operator', secret: secrets.value('operator-client.secret') },
    gateways: { publisher: gateway('publisher'), subscriber: gateway('subscriber') },
    encryptionSecretFile,
    tokenAdminFile: secrets.ensureFile('token-admin.secret'),
    brokerTokenFile: secrets.ensureFile('broker-token.secret'),
    originKeyFile: keys.pathOf('origin'),
    integrityKeysFile: keys.pathOf('integrity'),
    transactionIdKeysFile: keys.pathOf('transaction-ids'),
    /** DIDs of all origin keys, separated by commas. */
    originDid: origins.join(','),
    /** API_ACCESS_FILE, and a file with a token of it that may do everything. */
    apiAccess: {
      file: join(secrets.path, API_ACCESS_FILE),
      tokenFile: join(secrets.path, API_TOKEN_FILE),
    },
    /** The one-time link of the console, when there is one. */
    signInLinkFile: signInLinkFile(folder),
    /** Allows the API the actions of poller and bus-publisher. */
    managementOperateFile: secrets.ensureFile('management-operate.token'),
    issuerDid: didOfKey(issuerKey),
    /** Key of the role issuer, who also creates channels. */
    issuerKey,
  };
}
