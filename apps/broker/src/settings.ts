import { isDid, isDidMethod, DEFAULT_DID_METHOD } from '@ssb/identity';
import {
  choice,
  commonSettings,
  redisSettings,
  defineSettings,
  flag,
  integer,
  list,
  managementPortSettings,
  milliseconds,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';

/** Maximum payload on any channel. */
export const MAX_PAYLOAD_BYTES = 8_388_608;

/** Maximum of every retention and lifetime: ten years. */
export const MAX_RETENTION_MS = 10 * 365 * 24 * 3_600_000;

/** A malformed DID would never match a client, so the broker refuses to start with one. */
const dids = () =>
  list()
    .refine((entries) => entries.every(isDid))
    .describe('a comma-separated list of DIDs of the form did:<method>:<address>');

const natsUrls = () =>
  list()
    .refine((urls) => urls.length > 0 && urls.every(isNatsUrl) && haveOneLogin(urls))
    .describe(
      'a comma-separated list of addresses that start with nats:// or tls://, without path and query, with one user or token',
    );

function isNatsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, username, password } = new URL(text);
  return (
    ['nats:', 'tls:'].includes(protocol) &&
    hostname !== '' &&
    ['', '/'].includes(pathname) &&
    !/[?#]/.test(text) &&
    (username !== '' || password === '')
  );
}

/** The client sends one login to every server. */
function haveOneLogin(urls: readonly string[]): boolean {
  const logins = urls.map((text) => new URL(text)).filter(({ username }) => username !== '');
  return new Set(logins.map(({ username, password }) => `${username}:${password}`)).size <= 1;
}

export const definition = defineSettings({
  ...commonSettings,
  ...redisSettings('channels, roles and sessions; with LOG_ENGINE=redis also the log and offsets'),
  ...managementPortSettings,
  PORT: { schema: port(), default: '4003', doc: 'Port of the HTTP interface and the stream.' },
  REDIS_PREFIX: {
    schema: text('a prefix of Redis keys'),
    default: 'broker:',
    doc: 'Prefix of every key and pub/sub topic.',
  },
  REDIS_TIMEOUT_MS: {
    schema: milliseconds({ min: 50, max: 60_000 }),
    default: '3000',
    doc: 'How long a request waits for Redis, for example during a restart, before the response is 503.',
  },
  LOG_ENGINE: {
    schema: choice(['redis', 'nats']),
    default: 'redis',
    doc: 'Where messages and offsets are stored: Redis Streams or NATS JetStream. A change starts with an empty log.',
  },
  NATS_URL: {
    schema: natsUrls(),
    default: 'nats://127.0.0.1:4222',
    doc: 'Servers of the NATS cluster, with LOG_ENGINE=nats; one of the URLs may contain the credentials, `user:password@` or `token@`; tls:// requires TLS.',
    secret: true,
  },
  NATS_PREFIX: {
    schema: text()
      .regex(/^[A-Za-z0-9_-]+$/)
      .describe('letters, digits, - and _'),
    default: 'bus',
    doc: 'Prefix of streams and subjects in NATS.',
  },
  NATS_REPLICAS: {
    schema: integer({ min: 1, max: 5 }),
    default: '1',
    doc: 'Servers that store each stream; more than one requires a cluster of that size.',
  },
  NATS_TIMEOUT_MS: {
    schema: milliseconds({ min: 50, max: 60_000 }),
    default: '3000',
    doc: 'How long a request waits for the connection to NATS, and then for the reply of NATS, before the response is 503.',
  },
  NATS_CA_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Certificate authority of NATS when it is not a public one; requires TLS.',
  },
  BROKER_AUDIENCE: {
    schema: text(),
    default: 'urn:message-bus:broker',
    doc: 'The `aud` that identity tokens and role decisions must carry.',
  },
  TOKEN_SECRET_FILE: {
    schema: text('a file name'),
    doc: 'File of at least 32 bytes that signs bearer tokens; the same for every replica.',
  },
  TOKEN_LIFETIME_MS: {
    schema: milliseconds({ min: 1_000, max: 24 * 3_600_000 }),
    default: '600000',
    doc: 'Lifetime of a bearer token.',
  },
  IDENTITY_KEY_FILE: {
    schema: text('a file name'),
    default: '.data/broker/identity.key',
    doc: "The broker's own private key, encrypted; created at the first start.",
  },
  IDENTITY_SECRET_FILE: {
    schema: text('a file name'),
    doc: 'File of at least 32 bytes that encrypts IDENTITY_KEY_FILE.',
  },
  DID_METHOD: {
    schema: text().refine(isDidMethod).describe('up to 32 lower-case letters and digits'),
    default: DEFAULT_DID_METHOD,
    doc: "Method of this bus's DIDs, `did:<method>:<address>`; DIDs of other methods are refused.",
  },
  DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS: {
    schema: flag(),
    default: 'false',
    doc: 'Also accept identity tokens without expiry and `jti`, as older gateways and the public one send; a stolen one can be used indefinitely.',
  },
  BROKER_COMPATIBILITY: {
    schema: choice(['none', 'dsb']),
    default: 'none',
    doc: 'Form of the responses: `none` for the form in openapi.yaml, `dsb` for what the public gateway 0.5 and 0.6 reads. Gateways of this project read both.',
  },
  ATTEMPTS_PER_MINUTE: {
    schema: integer({ min: 1, max: 1_000_000 }),
    default: '600',
    doc: 'Maximum of logins and role decisions a minute from one network address; more get 429.',
  },
  USER_ROLE: {
    schema: text('a role name'),
    default: 'user.roles.messagebus.apps.bridge.iam.local',
    doc: 'The role that reading and publishing require.',
  },
  ROLE_ISSUERS: {
    schema: dids(),
    default: '',
    doc: 'DIDs whose signed decisions on roles are accepted.',
  },
  CLAIM_LIFETIME_MS: {
    schema: milliseconds({ min: 1_000, max: MAX_RETENTION_MS }),
    default: '2592000000',
    doc: 'How long an undecided claim is kept after the identity last requested it.',
  },
  MAX_OPEN_CLAIMS: {
    schema: integer({ min: 1, max: 1_000_000 }),
    default: '10000',
    doc: 'Maximum of undecided claims of all identities together; one more gets 429.',
  },
  CHANNEL_CREATORS: {
    schema: dids(),
    default: '',
    doc: 'DIDs that may create channels and manage every one.',
  },
  SIGNATURE_SCHEME: {
    schema: choice(['eip191', 'keccak256']),
    default: 'eip191',
    doc: 'How the payload of a message is signed.',
  },
  DUPLICATE_WINDOW_MS: {
    schema: milliseconds({ min: 1_000, max: MAX_RETENTION_MS }),
    default: '86400000',
    doc: 'How long a message with a repeated correlation id of the same sender is not stored; the response has the id of the first one.',
  },
  OFFSET_LIFETIME_MS: {
    schema: milliseconds({ min: 1_000, max: MAX_RETENTION_MS }),
    default: '2592000000',
    doc: "How long a reader's offset is kept beyond the retention of the channel, so that a gap is still reported to a late reader.",
  },
  MAX_MESSAGE_AGE_MS: {
    schema: milliseconds({ min: 1_000, max: MAX_RETENTION_MS }),
    default: '604800000',
    doc: 'How long a message is kept on a channel without maxMsgAge.',
  },
  MAX_MESSAGE_SIZE: {
    schema: integer({ min: 1, max: MAX_PAYLOAD_BYTES }),
    default: '1048576',
    doc: 'Maximum payload, bytes, on a channel without maxMsgSize.',
  },
  SCHEMA_CHECK_TIMEOUT_MS: {
    schema: milliseconds({ min: 10, max: 10_000 }),
    default: '500',
    doc: 'Time limit for the check of a payload. After a timeout, the schema refuses every payload for 100 times this duration.',
  },
  MAX_STREAMS_PER_IDENTITY: {
    schema: integer({ min: 1, max: 10_000 }),
    default: '32',
    doc: 'Maximum of open streams of one identity at this broker.',
  },
  STREAM_PING_INTERVAL_MS: {
    schema: milliseconds({ min: 100, max: 300_000 }),
    default: '15000',
    doc: 'How often a stream is pinged; after two unanswered pings it is closed.',
  },
});

export type Settings = SettingsOf<typeof definition>;
