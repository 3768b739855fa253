import { ConfigurationError } from '@ssb/platform';
import { DATABASE_SCHEMAS, type DatabaseRole, type DatabaseSchema } from './deployment-files.js';
import { databaseUrl, natsUrl, type Secret } from './kubernetes-secrets.js';

/** Values of config/compose/bridge.yaml that follow from the keys. */
export interface ConfigDids {
  readonly PUBLISHER_GATEWAY_DID: string;
  readonly BRIDGE_ORIGIN_DID: string;
}

/** Servers of docker-compose.yml that receive alerts over TLS. */
export const ALERT_RECEIVERS = ['alertmanager', 'mail'] as const;

/** The files that each service of docker-compose.yml gets in /run/secrets, by service. */
export type ComposeFiles = Readonly<Record<string, Readonly<Record<string, Buffer>>>>;

/**
 * Distributes the Secrets of a deployment with all parts. Each service gets only what it uses.
 * @param name with which the Secrets were built
 * @param roleIssuer DID of issuer.key
 */
export function composeFiles(
  secrets: readonly Secret[],
  {
    name,
    dids,
    roleIssuer,
  }: { readonly name: string; readonly dids: ConfigDids; readonly roleIssuer: string },
): ComposeFiles {
  const read = (secret: string, key: string): Buffer => {
    const content = secrets.find((each) => each.name === `${name}-${secret}`)?.data[key];
    if (content === undefined) throw new RangeError(`the Secret ${name}-${secret} has no ${key}`);
    return content;
  };
  const pick = (secret: string, ...keys: string[]): Record<string, Buffer> =>
    Object.fromEntries(keys.map((key) => [key, read(secret, key)]));
  const all = (secret: string): Readonly<Record<string, Buffer>> =>
    secrets.find((each) => each.name === `${name}-${secret}`)?.data ?? {};
  const redis = (user: string): Record<string, Buffer> => ({
    'redis.password': read('redis', `${user}.password`),
  });
  const runUrl = (role: DatabaseRole): string =>
    databaseUrl('postgresql', role, read('postgresql', `${role}.password`));
  const migration = (schema: DatabaseSchema): [string, Buffer] => {
    const password = read('postgresql', `${schema}-migration.password`);
    const url = databaseUrl('postgresql', `${schema}_migration`, password);
    return [`${schema}-migration.env`, environmentFile({ DATABASE_MIGRATION_URL: url })];
  };
  const app = (variables: Readonly<Record<string, string>>): Record<string, Buffer> => ({
    'app.env': environmentFile(variables),
  });
  return {
    accounts: pick(
      'sandbox-keys',
      'token-admin.secret',
      'participant-client.secret',
      'operator-client.secret',
    ),
    alertmanager: pick('sandbox-keys', 'ca.crt', 'alertmanager.crt', 'alertmanager.key'),
    api: { ...all('api-access'), ...app({ ...dids, DATABASE_URL: runUrl('api') }) },
    broker: {
      ...all('broker-keys'),
      ...redis('broker'),
      ...app({
        NATS_URL: natsUrl('nats', read('nats', 'token')),
        ROLE_ISSUERS: roleIssuer,
        CHANNEL_CREATORS: roleIssuer,
      }),
    },
    'bus-publisher': { ...all('bus-publisher-keys'), ...redis('bus-publisher'), ...app({ ...dids }) },
    busbridge: {
      ...all('busbridge-keys'),
      ...redis('busbridge'),
      ...app({ ...dids }),
    },
    database: { ...all('postgresql'), ...Object.fromEntries(DATABASE_SCHEMAS.map(migration)) },
    'gateway-publisher': all('gateway-publisher-keys'),
    'gateway-subscriber': all('gateway-subscriber-keys'),
    mail: pick('sandbox-keys', 'mail.crt', 'mail.key'),
    nats: pick('nats', 'token'),
    poller: {
      ...all('poller-keys'),
      ...redis('poller'),
      ...pick('sandbox-keys', 'ca.crt', 'participant.crt', 'participant.key'),
      ...app({
        ...dids,
        DATABASE_URL: runUrl('poller'),
        TOKEN_CLIENT_SECRET: read('sandbox-keys', 'participant-client.secret').toString(),
      }),
    },
    postgresql: pick('postgresql', 'superuser.password'),
    prometheus: pick('sandbox-keys', 'ca.crt'),
    provisioning: { ...all('provisioning-keys'), ...app({ ...dids }) },
    redis: pick('redis', 'users.acl', 'administrator.password'),
    reporting: {
      ...pick('sandbox-keys', 'ca.crt', 'reporting.crt', 'reporting.key'),
      ...app({ DATABASE_URL: runUrl('reporting') }),
    },
    simulator: {
      ...pick('sandbox-keys', 'ca.crt'),
      ...app({ TOKEN_CLIENT_SECRET: read('sandbox-keys', 'operator-client.secret').toString() }),
    },
    subscriber: {
      ...all('subscriber-keys'),
      ...pick('sandbox-keys', 'ca.crt'),
      ...app({ ...dids, DATABASE_URL: runUrl('subscriber') }),
    },
    token: {
      ...pick('sandbox-keys', 'ca.crt', 'token.crt', 'token.key', 'token.secret', 'token-admin.secret'),
      ...app({ DATABASE_URL: runUrl('token') }),
    },
  };
}

/** Variables for `node --env-file` and for a shell. Both take text in single quotes as it is. */
function environmentFile(variables: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(variables).map(([variable, value]) => {
    if (/['\r\n]/.test(value))
      throw new ConfigurationError(
        `The value for ${variable} has a single quote or a line break. Replace it in the folder of the keys.`,
      );
    return `${variable}='${value}'\n`;
  });
  return Buffer.from(lines.join(''));
}
