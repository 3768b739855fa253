import { isDid, isDidMethod, USUAL_METHOD } from '@ssb/identity';
import {
  choice,
  commonSettings,
  redisSettings,
  defineSettings,
  flag,
  integer,
  list,
  milliseconds,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';

/** Payload bytes that no channel may exceed. */
export const LARGEST_MESSAGE = 8_388_608;

/** The longest that anything is kept. */
export const TEN_YEARS_MS = 10 * 365 * 24 * 3_600_000;

/** Comma-separated DIDs; a wrong one stops the start rather than never match. */
const dids = () =>
  list()
    .refine((entries) => entries.every(isDid))
    .describe('a comma-separated list of DIDs of the form did:<method>:<address>');

const natsUrls = () =>
  list()
    .refine((urls) => urls.length > 0 && urls.every(isNatsUrl))
    .describe('a comma-separated list of addresses that start with nats:// or tls://');

function isNatsUrl(text: string): boolean {
  return URL.canParse(text) && ['nats:', 'tls:'].includes(new URL(text).protocol);
}

export const definition = defineSettings({
  ...commonSettings,
  ...redisSettings('channels, roles and sessions; with LOG_ENGINE=redis also the log and positions'),
  PORT: { schema: port(), default: '4003', doc: 'Port of the HTTP interface and the stream.' },
  REDIS_PREFIX: {
    schema: text('a prefix of Redis keys'),
    default: 'broker:',
    doc: 'Put before every key and pub/sub topic.',
  },
  REDIS_PATIENCE_MS: {
    schema: milliseconds({ min: 50, max: 60_000 }),
    default: '3000',
    doc: 'How long a request waits for Redis (a short restart) before it is answered with 503.',
  },
  LOG_ENGINE: {
    schema: choice(['redis', 'nats']),
    default: 'redis',
    doc: 'What keeps messages and positions: Redis Streams, or NATS JetStream. The two share nothing: changing it begins anew.',
  },
  NATS_URL: {
    schema: natsUrls(),
    default: 'nats://127.0.0.1:4222',
    doc: 'Servers of the NATS cluster, with LOG_ENGINE=nats; one may name user and password, or a token alone; tls:// asks for TLS.',
    secret: true,
  },
  NATS_PREFIX: {
    schema: text()
      .regex(/^[A-Za-z0-9_-]+$/)
      .describe('letters, digits, - and _'),
    default: 'bus',
    doc: 'Begins the names of streams and subjects in NATS.',
  },
  NATS_REPLICAS: {
    schema: integer({ min: 1, max: 5 }),
    default: '1',
    doc: 'Servers that keep each stream; more than one needs a cluster of as many.',
  },
  NATS_PATIENCE_MS: {
    schema: milliseconds({ min: 50, max: 60_000 }),
    default: '3000',
    doc: 'How long a request waits for NATS (a short restart), and then for its answer, before it is answered with 503.',
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
    doc: "The broker's own private key, sealed; created at the first start.",
  },
  IDENTITY_SECRET_FILE: {
    schema: text('a file name'),
    doc: 'File of at least 32 bytes that seals IDENTITY_KEY_FILE.',
  },
  DID_METHOD: {
    schema: text().refine(isDidMethod).describe('up to 32 small letters and digits'),
    default: USUAL_METHOD,
    doc: "Method of this bus's DIDs, `did:<method>:<address>`; those of another one are refused.",
  },
  DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS: {
    schema: flag(),
    default: 'false',
    doc: 'Also accept identity tokens without expiry and nonce, as older gateways send; whoever sees one can use it for ever.',
  },
  ATTEMPTS_PER_MINUTE: {
    schema: integer({ min: 1, max: 1_000_000 }),
    default: '600',
    doc: 'Logins and role decisions a minute that one network address may try; more are answered with 429.',
  },
  USER_ROLE: {
    schema: text('a role name'),
    default: 'user.roles.messagebus.apps.bridge.iam.local',
    doc: 'The role without which nobody reads or publishes.',
  },
  ROLE_ISSUERS: {
    schema: dids(),
    default: '',
    doc: 'DIDs whose signed decisions on roles are believed.',
  },
  CLAIM_LIFE_MS: {
    schema: milliseconds({ min: 1_000, max: TEN_YEARS_MS }),
    default: '2592000000',
    doc: 'How long a claim waits for a decision after it was last asked for; then it ends.',
  },
  MOST_OPEN_CLAIMS: {
    schema: integer({ min: 1, max: 1_000_000 }),
    default: '10000',
    doc: 'Claims, of all identities together, that may wait for a decision; one more is answered with 429.',
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
    schema: milliseconds({ min: 1_000, max: TEN_YEARS_MS }),
    default: '86400000',
    doc: "How long a sender's repeated correlation id gets the first message's id.",
  },
  POSITION_LIFE_MS: {
    schema: milliseconds({ min: 1_000, max: TEN_YEARS_MS }),
    default: '2592000000',
    doc: "How long a reader's position is kept beyond the retention of the channel: so long it can be told that it missed messages.",
  },
  MAX_MESSAGE_AGE_MS: {
    schema: milliseconds({ min: 1_000, max: TEN_YEARS_MS }),
    default: '604800000',
    doc: 'How long a message is kept on a channel that names no maxMsgAge.',
  },
  MAX_MESSAGE_SIZE: {
    schema: integer({ min: 1, max: LARGEST_MESSAGE }),
    default: '1048576',
    doc: 'Largest payload, bytes, on a channel that names no maxMsgSize.',
  },
  SCHEMA_CHECK_MS: {
    schema: milliseconds({ min: 10, max: 10_000 }),
    default: '500',
    doc: 'Longest check of a payload; its schema then refuses everything for a hundred times as long.',
  },
  STREAMS_PER_IDENTITY: {
    schema: integer({ min: 1, max: 10_000 }),
    default: '32',
    doc: 'Streams that one identity may hold open at this broker.',
  },
  STREAM_PING_MS: {
    schema: milliseconds({ min: 100, max: 300_000 }),
    default: '15000',
    doc: 'How often a stream is pinged; one that stays silent for two pings is cut off.',
  },
});

export type Settings = SettingsOf<typeof definition>;
