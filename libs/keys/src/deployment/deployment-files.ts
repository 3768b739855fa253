import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { didOfKey, generatePrivateKey, parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { ENCRYPTION_SECRET_FILE } from '../folder/key-files.js';
import { ensureGatewayAdmin } from '../folder/gateway-users.js';
import {
  ConfigurationError,
  generateSecret,
  parseConfiguredFile,
  readConfiguredFile,
  readEncryptedFile,
  readSecretFile,
  writeEncryptedFile,
  writeFileAtomically,
} from '@ssb/platform';
import { ensureApiAccess } from './api-access.js';
import { REDIS_USERS } from './redis-users.js';

/** What a deployment has in addition to the bridge and its gateways. */
export interface DeploymentOptions {
  /** Our own broker. */
  readonly broker: boolean;
  /** Token service and reporting API. */
  readonly sandbox: boolean;
  /** Redis, PostgreSQL and NATS of the chart. */
  readonly bundled: boolean;
}

type Part = keyof DeploymentOptions | 'gateways';

interface DeploymentFile {
  readonly part: Part;
  readonly file: string;
  /** What reads it, for a listing. */
  readonly setting: string;
  readonly kind: 'secret' | 'key' | 'encrypted-key';
}

const secret = (part: Part, file: string, setting: string): DeploymentFile => ({
  part,
  file,
  setting,
  kind: 'secret',
});

const SIDES = ['publisher', 'subscriber'] as const;
/** Schemas of the bundled PostgreSQL. */
export const DATABASE_SCHEMAS = ['subscriber', 'token', 'reporting'] as const;
export type DatabaseSchema = (typeof DATABASE_SCHEMAS)[number];

/** Further roles in the schema of the subscriber. */
export const FURTHER_ROLES = ['api', 'poller'] as const;
export type DatabaseRole = DatabaseSchema | (typeof FURTHER_ROLES)[number];

/** Folder of the sandbox's certificates in the folder of the keys. */
export const SANDBOX_TLS_FOLDER = 'sandbox-tls';

/** The files of a deployment that are not rotated. */
export const DEPLOYMENT_FILES: readonly DeploymentFile[] = [
  ...SIDES.flatMap((side): DeploymentFile[] => [
    {
      part: 'gateways',
      file: `gateway-${side}.identity.key`,
      setting: `IDENTITY_KEY_FILE of the ${side}'s gateway`,
      kind: 'key',
    },
    secret('gateways', `gateway-${side}-admin.password`, `user admin of the ${side}'s gateway`),
  ]),
  secret(
    'gateways',
    'management-operate.token',
    'MANAGEMENT_OPERATE_TOKEN_FILE of poller and bus-publisher, HOPS_OPERATE_TOKEN_FILE of the API',
  ),
  secret('broker', 'broker-token.secret', 'TOKEN_SECRET_FILE of the broker'),
  {
    part: 'broker',
    file: 'broker.identity.key',
    setting: 'IDENTITY_KEY_FILE of the broker',
    kind: 'encrypted-key',
  },
  {
    part: 'broker',
    file: 'issuer.key',
    setting: 'ISSUER_KEY_FILE of busbridge provision',
    kind: 'encrypted-key',
  },
  secret('sandbox', 'sandbox-token.secret', 'KEY_SECRET_FILE of the token service'),
  secret('sandbox', 'token-admin.secret', 'ADMIN_SECRET_FILE of the token service'),
  secret('sandbox', 'participant-client.secret', 'TOKEN_CLIENT_SECRET of the poller'),
  secret('sandbox', 'operator-client.secret', 'TOKEN_CLIENT_SECRET of the simulator'),
  ...REDIS_USERS.map((user) => secret('bundled', `redis-${user}.password`, `user ${user} of Redis`)),
  secret('bundled', 'postgresql-superuser.password', 'administrator of PostgreSQL'),
  ...DATABASE_SCHEMAS.flatMap((schema) => [
    secret('bundled', `database-${schema}.password`, `role ${schema} of PostgreSQL`),
    secret('bundled', `database-${schema}-migration.password`, `role ${schema}_migration of PostgreSQL`),
  ]),
  ...FURTHER_ROLES.map((role) =>
    secret('bundled', `database-${role}.password`, `role ${role} of PostgreSQL`),
  ),
  secret('bundled', 'nats.token', 'token of NATS'),
];

/** A year. */
const FIRST_TOKEN_LIFETIME_MS = 365 * 86_400_000;

/**
 * Creates the missing files of these parts beside the keys of the bridge, which exist. The caller excludes other changes of the folder.
 * @returns the names of the created files
 * @throws ConfigurationError for an empty file, or white space in a secret
 */
export async function createDeploymentFiles(folder: string, parts: DeploymentOptions): Promise<string[]> {
  const created: string[] = [];
  for (const { part, file, kind } of DEPLOYMENT_FILES) {
    if (part !== 'gateways' && !parts[part]) continue;
    const path = join(folder, file);
    if (existsSync(path)) {
      assertUsable(path, kind);
      continue;
    }
    if (kind === 'encrypted-key') await ensureEncryptedKey(path, join(folder, ENCRYPTION_SECRET_FILE));
    else await writeFileAtomically(path, kind === 'key' ? generatePrivateKey().toHex() : generateSecret());
    created.push(file);
  }
  for (const side of SIDES) {
    const usersFile = `gateway-${side}.users.json`;
    const password = await readFile(join(folder, `gateway-${side}-admin.password`), 'utf8');
    if (await ensureGatewayAdmin(join(folder, usersFile), password)) created.push(usersFile);
  }
  created.push(...ensureApiAccess(folder, { name: 'administrator', lifetimeMs: FIRST_TOKEN_LIFETIME_MS }));
  return created;
}

/** White space, such as a line break at the end, is part of a password for some of its readers and not for others. */
function assertUsable(path: string, kind: DeploymentFile['kind']): void {
  const content = readFileSync(path);
  if (content.length === 0)
    throw new ConfigurationError(`${path} is empty. Restore it, or remove it to create another one.`);
  if (kind === 'secret' && /\s/.test(content.toString()))
    throw new ConfigurationError(`${path} has white space, such as a line break at its end. Remove it.`);
}

/** The DIDs of the keys that exist. */
export interface DeploymentDids {
  readonly PUBLISHER_GATEWAY_DID?: string;
  readonly SUBSCRIBER_GATEWAY_DID?: string;
  /** Also CHANNEL_CREATORS. */
  readonly ROLE_ISSUERS?: string;
}

/** The values for the configuration that follow from the keys. */
export async function readDids(folder: string): Promise<DeploymentDids> {
  const issuer = join(folder, 'issuer.key');
  const publisher = await readIdentity(folder, 'publisher');
  const subscriber = await readIdentity(folder, 'subscriber');
  return {
    ...(publisher && { PUBLISHER_GATEWAY_DID: didOfKey(publisher) }),
    ...(subscriber && { SUBSCRIBER_GATEWAY_DID: didOfKey(subscriber) }),
    ...(existsSync(issuer) && {
      ROLE_ISSUERS: didOfKey(await ensureEncryptedKey(issuer, join(folder, ENCRYPTION_SECRET_FILE))),
    }),
  };
}

async function readIdentity(folder: string, side: string): Promise<PrivateKey | undefined> {
  const path = join(folder, `gateway-${side}.identity.key`);
  if (!existsSync(path)) return undefined;
  const content = await readConfiguredFile(path);
  return parseConfiguredFile(path, () => parsePrivateKey(content.toString('utf8').trim()));
}

/** A secp256k1 key in an encrypted file, generated if missing. The file holds the key's 64 hexadecimal digits. */
export async function ensureEncryptedKey(path: string, encryptionSecretFile: string): Promise<PrivateKey> {
  const encryptionSecret = await readSecretFile(encryptionSecretFile);
  if (existsSync(path)) {
    const content = await readEncryptedFile(path, encryptionSecret);
    return parseConfiguredFile(path, () => parsePrivateKey(content.toString('utf8')));
  }
  const key = generatePrivateKey();
  await writeEncryptedFile(path, Buffer.from(key.toHex()), encryptionSecret);
  return key;
}
