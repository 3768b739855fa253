import { DEFAULT_BROKER_AUDIENCE, DEFAULT_USER_ROLE } from '@ssb/bus/provisioning';
import { DEFAULT_DID_METHOD, isDid, isDidMethod, SIGNATURE_SCHEMES } from '@ssb/identity';
import {
  choice,
  clientTlsSettings,
  configFileSettings,
  defineSettings,
  httpUrl,
  integrityKeysSettings,
  list,
  migrationSettings,
  optional,
  outgoingConnectionSettings,
  postgresUrl,
  queueSettings,
  redisSettings,
  retentionSettings,
  text,
} from '@ssb/platform';
import { CommandError } from './exit.js';
import { completeEnvironment, findDataFolder, findRunningSystems } from './system/running-system.js';

/** Looks for running `npm start`, before a command. */
export const findSystems = (): Promise<void> => findRunningSystems(process.env);

/**
 * The environment that the commands read, completed by a running `npm start`. Options of a command line take precedence.
 * @throws CommandError when several systems run
 */
export const commandEnvironment = (profile?: string): Readonly<Record<string, string | undefined>> =>
  completeEnvironment(profile === undefined ? process.env : { ...process.env, BUSBRIDGE_PROFILE: profile });

/** The same for the words of an error, without a system that cannot be used: the command may not have needed it. */
export function errorEnvironment(): ReturnType<typeof commandEnvironment> {
  try {
    return commandEnvironment();
  } catch (error) {
    if (error instanceof CommandError) return process.env;
    throw error;
  }
}

/** The folder of BUSBRIDGE_DATA, or of the running `npm start`, whichever bridge is named. @throws CommandError when several systems run */
export const systemDataFolder = (): string | undefined => findDataFolder(process.env);

const { HTTPS_PROXY, NO_PROXY } = outgoingConnectionSettings;
const { INTEGRITY_KEYS_FILE } = integrityKeysSettings;
const { QUEUE_PREFIX } = queueSettings;
const passwordFile = () => text('the path of a key ring file or of a text file');
const dids = () =>
  list()
    .refine((entries) => entries.every(isDid))
    .describe('a comma-separated list of DIDs of the form did:<method>:<address>');

/** The settings of the commands that use the archive API. */
export const apiSettings = defineSettings({
  BUSBRIDGE_URL: {
    schema: optional(httpUrl()),
    doc: 'Address of the archive API. When unset: that of a running npm start, in its clone; otherwise the default profile.',
  },
  BUSBRIDGE_TOKEN: {
    schema: optional(text('a token')),
    secret: true,
    doc: 'Bearer token for BUSBRIDGE_URL: one of busbridge tokens, or an access token of the OpenID Connect provider.',
  },
  BUSBRIDGE_TOKEN_FILE: {
    schema: optional(text('the path of a text file')),
    doc: 'File with that token, in place of BUSBRIDGE_TOKEN.',
    notWith: ['BUSBRIDGE_TOKEN'],
  },
  BUSBRIDGE_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: "Certificate authorities of BUSBRIDGE_URL (PEM); the system's when unset.",
  },
  BUSBRIDGE_CERT_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Client certificate for BUSBRIDGE_URL (PEM), in place of a token; set it with BUSBRIDGE_KEY_FILE.',
  },
  BUSBRIDGE_KEY_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Private key of that certificate (PEM).',
    requiredWith: 'BUSBRIDGE_CERT_FILE',
  },
  BUSBRIDGE_PROFILE: {
    schema: optional(text('a name')),
    doc: 'Profile of BUSBRIDGE_PROFILES_FILE to use, also when BUSBRIDGE_URL is set; --profile takes precedence.',
  },
  BUSBRIDGE_PROFILES_FILE: {
    schema: optional(text('the path of a YAML file')),
    doc: 'File of the profiles; busbridge/profiles.yaml in XDG_CONFIG_HOME, or in ~/.config, when unset. Only its owner may open it.',
  },
  BUSBRIDGE_DATA: {
    schema: optional(text('the path of a folder')),
    doc: 'Data folder of a running npm start, when several run, or outside their clone. busbridge keys uses it also when nothing runs there.',
  },
  HTTPS_PROXY,
  NO_PROXY,
});

/** The settings of the commands that use the queue. */
export const queueCommandSettings = defineSettings({ QUEUE_PREFIX, INTEGRITY_KEYS_FILE });

/** The settings of `busbridge heartbeat`, in addition to those of the queue. */
export const heartbeatSettings = defineSettings({
  SUBSCRIBER_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4023',
    doc: 'busbridge heartbeat: address of health and metrics of the subscriber. Each address of the host name is one replica.',
  },
  SUBSCRIBER_TOKEN_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'busbridge heartbeat: MANAGEMENT_TOKEN_FILE of the subscriber, when it has one.',
  },
  SUBSCRIBER_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: "busbridge heartbeat: certificate authorities of SUBSCRIBER_URL (PEM); the system's when unset.",
  },
});

/** The setting of `busbridge migrate` in place of DATABASE_MIGRATION_URL. */
export const archiveDatabaseSettings = defineSettings({
  DATABASE_URL: {
    schema: optional(postgresUrl()),
    secret: true,
    doc: 'busbridge migrate: URL of the archive for the role subscriber_migration, when DATABASE_MIGRATION_URL is unset.',
  },
});

/** The settings of `busbridge tokens`. */
export const tokensSettings = defineSettings({
  API_ACCESS_FILE: {
    schema: optional(text('the path of a YAML file')),
    doc: 'busbridge tokens: the access file of the archive API. When unset, that of npm start in .data, if there is one.',
  },
});

/** The settings of `busbridge console`, in addition to the address of the archive API. */
export const consoleSettings = defineSettings({
  SIGN_IN_LINK_FILE: {
    schema: optional(text('the path of a file')),
    doc: 'busbridge console: SIGN_IN_LINK_FILE of the archive API on this machine. When unset, that of npm start.',
  },
});

/** The settings of `busbridge trust`. */
export const trustSettings = defineSettings({
  SIGNATURE_SCHEME: {
    schema: choice(SIGNATURE_SCHEMES),
    default: 'eip191',
    doc: 'busbridge trust: SIGNATURE_SCHEME of the subscriber.',
  },
});

/** The settings of `busbridge provision` for our own broker. `busbridge provision reader` needs no others. */
export const brokerSettings = defineSettings({
  BROKER_URL: {
    schema: optional(httpUrl()),
    doc: 'busbridge provision: address of our own broker. When unset, the bus is only checked.',
  },
  BROKER_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: "busbridge provision: certificate authorities of the broker (PEM); the system's when unset.",
  },
  BROKER_AUDIENCE: {
    schema: text('a name'),
    default: DEFAULT_BROKER_AUDIENCE,
    doc: 'busbridge provision: audience that the broker requires.',
  },
  ISSUER_KEY_FILE: {
    schema: optional(text('the path of an encrypted file')),
    doc: 'busbridge provision: key of a DID in ROLE_ISSUERS and CHANNEL_CREATORS of the broker. When unset, the bus is only checked.',
  },
  ISSUER_KEY_SECRET_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'busbridge provision: the secret that encrypts ISSUER_KEY_FILE.',
    requiredWith: 'ISSUER_KEY_FILE',
  },
  USER_ROLE: {
    schema: text('a role name'),
    default: DEFAULT_USER_ROLE,
    doc: 'busbridge provision: role that the gateways need.',
  },
  DID_METHOD: {
    schema: text().refine(isDidMethod).describe('up to 32 lower-case letters and digits'),
    default: DEFAULT_DID_METHOD,
    doc: "busbridge provision: method of the bus's DIDs.",
  },
  HTTPS_PROXY,
  NO_PROXY,
});

/** The settings of `busbridge provision`. */
export const provisionSettings = defineSettings({
  GATEWAY_PUBLISHER_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4011',
    doc: "busbridge provision: address of the publisher's gateway, without /api.",
  },
  GATEWAY_SUBSCRIBER_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4012',
    doc: "busbridge provision: address of the subscriber's gateway, without /api.",
  },
  GATEWAY_ADMIN_USERNAME: {
    schema: text('a user name'),
    default: 'admin',
    doc: 'busbridge provision: user of both gateways with the rights config and messages.',
  },
  GATEWAY_PUBLISHER_ADMIN_PASSWORD_FILE: {
    schema: passwordFile(),
    doc: "busbridge provision: file with that user's password at the publisher's gateway.",
  },
  GATEWAY_SUBSCRIBER_ADMIN_PASSWORD_FILE: {
    schema: passwordFile(),
    doc: "busbridge provision: file with that user's password at the subscriber's gateway.",
  },
  ...clientTlsSettings('GATEWAY', 'the gateways'),
  ...brokerSettings,
  CHANNEL_PUBLISHERS: {
    schema: dids(),
    default: '',
    doc: "busbridge provision: DIDs that may publish on the channels, in addition to the publisher's gateway.",
  },
  CHANNEL_SUBSCRIBERS: {
    schema: dids(),
    default: '',
    doc: "busbridge provision: DIDs that may subscribe to the channels, in addition to the subscriber's gateway.",
  },
});

/** Every setting, for the docs. */
export const definition = defineSettings({
  ...configFileSettings('participants, channels and topics'),
  ...apiSettings,
  ...redisSettings('the queue and the state of the poller'),
  ...queueCommandSettings,
  ...heartbeatSettings,
  ...archiveDatabaseSettings,
  ...migrationSettings,
  ...retentionSettings,
  ...tokensSettings,
  ...consoleSettings,
  ...trustSettings,
  ...provisionSettings,
});
