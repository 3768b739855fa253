import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { API_ACCESS_FILE } from './api-access.js';
import {
  DATABASE_SCHEMAS,
  FURTHER_ROLES,
  SANDBOX_TLS_FOLDER,
  type DeploymentOptions,
} from './deployment-files.js';
import { redisAclLine, REDIS_USERS } from './redis-users.js';

export interface SecretsOptions extends DeploymentOptions {
  /** Full name of the release, the beginning of each Secret's name. */
  readonly name: string;
  readonly namespace?: string;
  /** Participant of the sandbox. */
  readonly participant: string;
  /** Further servers with a certificate of the sandbox. */
  readonly servers?: readonly string[];
}

/** A Secret of the chart: its content by key. */
export interface Secret {
  readonly name: string;
  readonly data: Readonly<Record<string, Buffer>>;
}

/** Path in the folder, by Secret and key. */
type SecretFiles = Readonly<Record<string, Readonly<Record<string, string>>>>;

const GATEWAY_FILES = (side: string): Readonly<Record<string, string>> => ({
  'users.json': `gateway-${side}.users.json`,
  'identity.key': `gateway-${side}.identity.key`,
});

/** Permits actions at the management ports of poller and bus-publisher. */
const OPERATE_TOKEN = { 'management-operate.token': 'management-operate.token' };

const BRIDGE: SecretFiles = {
  'poller-keys': { 'integrity.keys': 'integrity.keys', ...OPERATE_TOKEN },
  'bus-publisher-keys': {
    'integrity.keys': 'integrity.keys',
    'transaction-ids.keys': 'transaction-ids.keys',
    'origin.key': 'origin.key',
    'encryption.secret': 'encryption.secret',
    'gateway-publisher.password': 'gateway-publisher.password',
    ...OPERATE_TOKEN,
  },
  'subscriber-keys': { 'gateway-subscriber.password': 'gateway-subscriber.password' },
  'gateway-publisher-keys': GATEWAY_FILES('publisher'),
  'gateway-subscriber-keys': GATEWAY_FILES('subscriber'),
  'api-access': { 'access.yaml': API_ACCESS_FILE, ...OPERATE_TOKEN },
  'busbridge-keys': { 'integrity.keys': 'integrity.keys' },
};

const BROKER: SecretFiles = {
  'broker-keys': {
    'token.secret': 'broker-token.secret',
    'identity.key': 'broker.identity.key',
    'encryption.secret': 'encryption.secret',
  },
};

const ADMIN_PASSWORDS = {
  'gateway-publisher-admin.password': 'gateway-publisher-admin.password',
  'gateway-subscriber-admin.password': 'gateway-subscriber-admin.password',
};

const sandboxFiles = (participant: string, servers: readonly string[]): SecretFiles => {
  const tls = (name: string): string => join(SANDBOX_TLS_FOLDER, name);
  return {
    'sandbox-keys': {
      'token.secret': 'sandbox-token.secret',
      'token-admin.secret': 'token-admin.secret',
      'ca.crt': tls('ca.pem'),
      'token.crt': tls('token.pem'),
      'token.key': tls('token.key'),
      'reporting.crt': tls('reporting.pem'),
      'reporting.key': tls('reporting.key'),
      'participant.crt': tls(`participant-${participant}.pem`),
      'participant.key': tls(`participant-${participant}.key`),
      'participant-client.secret': 'participant-client.secret',
      'operator-client.secret': 'operator-client.secret',
      ...Object.fromEntries(
        servers.flatMap((host) => [
          [`${host}.crt`, tls(`${host}.pem`)],
          [`${host}.key`, tls(`${host}.key`)],
        ]),
      ),
    },
  };
};

const BUNDLED: SecretFiles = {
  redis: Object.fromEntries(REDIS_USERS.map((user) => [`${user}.password`, `redis-${user}.password`])),
  postgresql: {
    'superuser.password': 'postgresql-superuser.password',
    ...Object.fromEntries(
      DATABASE_SCHEMAS.flatMap((schema) => [
        [`${schema}.password`, `database-${schema}.password`],
        [`${schema}-migration.password`, `database-${schema}-migration.password`],
      ]),
    ),
    ...Object.fromEntries(FURTHER_ROLES.map((role) => [`${role}.password`, `database-${role}.password`])),
  },
  nats: { token: 'nats.token' },
};

/** Reads the Secrets of the chart from a folder that has the files of all parts. */
export async function buildSecrets(folder: string, options: SecretsOptions): Promise<Secret[]> {
  const { name, broker, sandbox, bundled, participant, servers = [] } = options;
  const files: SecretFiles = {
    ...BRIDGE,
    ...(broker && BROKER),
    'provisioning-keys': {
      ...(broker && { 'issuer.key': 'issuer.key', 'encryption.secret': 'encryption.secret' }),
      ...ADMIN_PASSWORDS,
    },
    ...(sandbox && sandboxFiles(participant, servers)),
    ...(bundled && BUNDLED),
  };
  const secrets: Secret[] = [];
  for (const [secret, entries] of Object.entries(files)) {
    const data: Record<string, Buffer> = {};
    for (const [key, file] of Object.entries(entries)) data[key] = await readFile(join(folder, file));
    if (secret === 'redis') data['users.acl'] = redisAcl(data);
    if (secret === 'nats') data['NATS_URL'] = Buffer.from(natsUrl(`${name}-nats`, data['token']!));
    secrets.push({ name: `${name}-${secret}`, data });
    if (secret === 'postgresql') secrets.push(...databaseSecrets(name, data));
  }
  return secrets;
}

/** The addresses that an app, its migrations and the API use, with the roles of the chart's PostgreSQL. */
function databaseSecrets(name: string, passwords: Readonly<Record<string, Buffer>>): Secret[] {
  const url = (role: string, key: string): Buffer =>
    Buffer.from(databaseUrl(`${name}-postgresql`, role, passwords[`${key}.password`]!));
  const apps = DATABASE_SCHEMAS.map((schema) => ({
    name: `${name}-${schema}-database`,
    data: {
      DATABASE_URL: url(schema, schema),
      DATABASE_MIGRATION_URL: url(`${schema}_migration`, `${schema}-migration`),
    },
  }));
  const further = FURTHER_ROLES.map((role) => ({
    name: `${name}-${role}-database`,
    data: { DATABASE_URL: url(role, role) },
  }));
  return [...apps, ...further];
}

/** Address of the database of Compose or the chart. */
export function databaseUrl(host: string, role: string, password: Buffer): string {
  return `postgres://${role}:${encodeURIComponent(password.toString())}@${host}:5432/bridge`;
}

/** Address of the NATS of Compose or the chart. */
export function natsUrl(host: string, token: Buffer): string {
  return `nats://${encodeURIComponent(token.toString())}@${host}:4222`;
}

/** The user `default` is off, so every client needs a user name. */
function redisAcl(passwords: Readonly<Record<string, Buffer>>): Buffer {
  const lines = REDIS_USERS.map((user) => redisAclLine(user, String(passwords[`${user}.password`])));
  return Buffer.from(`${['user default off', ...lines].join('\n')}\n`);
}

/** YAML documents for `kubectl apply -f -`. The same files give the same text. */
export function renderSecrets(
  secrets: readonly Secret[],
  { name: instance, namespace }: Pick<SecretsOptions, 'name' | 'namespace'>,
): string {
  const documents = secrets.map(({ name, data }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: {
        'app.kubernetes.io/name': 'settlement-bus-bridge',
        'app.kubernetes.io/instance': instance,
        'app.kubernetes.io/managed-by': 'busbridge',
      },
    },
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(data).map(([key, content]) => [key, content.toString('base64')])),
  }));
  return documents.map((document) => `---\n${stringify(document, { lineWidth: 0 })}`).join('');
}
