import { BALANCES, EVENTS_PROTOCOL, MAX_WINDOW, SUBPROTOCOL_NAME } from '@ssb/bus';
import { isDidMethod, SIGNATURE_SCHEMES, DEFAULT_DID_METHOD } from '@ssb/identity';
import {
  choice,
  commonSettings,
  optionalTlsServerSettings,
  defineSettings,
  exactHttpUrl,
  httpUrl,
  integer,
  list,
  managementPortSettings,
  milliseconds,
  optional,
  port,
  text,
  trustedProxySettings,
  webSocketUrl,
  type SettingsOf,
} from '@ssb/platform';
import { USER_NAME } from './users/users-file.js';

/** Maximum bytes of a request body or WebSocket frame: a payload of 8 MiB, in which JSON may escape each byte as two, and other fields. */
export const BODY_LIMIT = 2 * 8_388_608 + 65_536;

const wei = () =>
  text()
    .regex(/^\d{1,78}$/)
    .transform(BigInt)
    .describe('a whole number of wei');

/** Scheme, host and port, as a browser sends them (RFC 6454 §6.2). */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** The settings of the gateway; document 002 prescribes none. */
export const definition = defineSettings({
  ...commonSettings,
  ...optionalTlsServerSettings,
  ...managementPortSettings,
  PORT: { schema: port(), default: '4011', doc: 'Port of the REST interface and of the WebSocket.' },
  MAX_CONNECTIONS: {
    schema: integer({ min: 10, max: 1_000_000 }),
    default: '10000',
    doc: 'Maximum number of open connections to that port, WebSockets included; further ones are closed.',
  },
  ...trustedProxySettings,
  BASIC_AUTH_USERNAME: {
    schema: optional(text('a user name of 1 to 128 characters without a colon').regex(USER_NAME)),
    doc: 'Name of a user with every right. Required without USERS_FILE.',
  },
  BASIC_AUTH_PASSWORD: {
    schema: optional(text('a password')),
    secret: true,
    doc: 'Password of that user.',
  },
  BASIC_AUTH_PASSWORD_HASH: {
    schema: optional(text('a line of the hash-password command')),
    secret: true,
    doc: 'Hash of the password, in place of BASIC_AUTH_PASSWORD.',
  },
  USERS_FILE: {
    schema: optional(text('a YAML file')),
    doc: 'Further users: name, password, passwordHash or passwordHashes (up to three), and rights (config, messages) of each; reloaded when it changes.',
  },
  DATA_DIR: {
    schema: text('a folder'),
    default: '.data/gateway',
    doc: 'Folder of the encrypted file with the identity; created when missing.',
  },
  IDENTITY_SECRET_FILE: {
    schema: optional(text('a file with at least 32 bytes')),
    doc: 'File with the secret that encrypts the stored private key. This, IDENTITY_SECRET or IDENTITY_KEY_FILE is required.',
  },
  IDENTITY_SECRET: {
    schema: optional(text('at least 32 bytes')),
    secret: true,
    doc: 'The same secret, in place of its file.',
  },
  IDENTITY_KEY_FILE: {
    schema: optional(text('a file with 64 hexadecimal characters')),
    doc: 'Mounted file with the private key, in place of one that is set over HTTP; POST config/identity is then refused.',
  },
  FILES_RELOAD_INTERVAL_MS: {
    schema: milliseconds({ min: 50, max: 3_600_000 }),
    default: '5000',
    doc: 'How often USERS_FILE and IDENTITY_KEY_FILE are read; changes need no restart.',
  },
  IDENTITY_BALANCE: {
    schema: choice(BALANCES),
    default: 'OK',
    doc: 'Balance of the identity without BALANCE_RPC_URL; this bus charges nothing, so the operator sets it.',
  },
  BALANCE_RPC_URL: {
    schema: optional(exactHttpUrl()),
    secret: true,
    doc: 'JSON-RPC address of an EVM node that returns the balance.',
  },
  BALANCE_NONE_BELOW_WEI: {
    schema: wei(),
    default: '1',
    doc: 'An amount below this is the balance NONE.',
  },
  BALANCE_OK_FROM_WEI: {
    schema: wei(),
    default: '10000000000000000',
    doc: 'An amount from this on is the balance OK; less is LOW.',
  },
  BALANCE_REFRESH_MS: {
    schema: milliseconds({ min: 50, max: 24 * 3_600_000 }),
    default: '30000',
    doc: 'How long a balance is shown before the node is requested again, also after a failure.',
  },
  BALANCE_TIMEOUT_MS: {
    schema: milliseconds({ min: 50, max: 30_000 }),
    default: '3000',
    doc: 'Timeout of a request to the node.',
  },
  SIGNATURE_SCHEME: {
    schema: choice(SIGNATURE_SCHEMES),
    default: 'eip191',
    doc: 'How payloads are signed and verified: EIP-191 personal_sign, or plain keccak-256 without a prefix.',
  },
  DID_METHOD: {
    schema: text().refine(isDidMethod).describe('up to 32 lower-case letters and digits'),
    default: DEFAULT_DID_METHOD,
    doc: "Method of the gateway's DID, `did:<method>:<address>`; the same as its bus has.",
  },
  USER_ROLE: {
    schema: text('a role name'),
    default: 'user.roles.messagebus.apps.bridge.iam.local',
    doc: 'Role that an enrolment requests: user of the bus.',
  },
  BROKER_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4003',
    doc: 'Address of the message broker.',
  },
  BROKER_AUDIENCE: {
    schema: text('a name'),
    default: 'urn:message-bus:broker',
    doc: 'Audience that the broker requires in identity tokens.',
  },
  BROKER_CA_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Certificate authority of the broker when it is not a public one.',
  },
  BROKER_CERT_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Client certificate for the broker; set BROKER_KEY_FILE as well.',
  },
  BROKER_KEY_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Private key of that certificate.',
  },
  BROKER_TIMEOUT_MS: {
    schema: milliseconds({ min: 100, max: 120_000 }),
    default: '10000',
    doc: 'Timeout of a request to the broker.',
  },
  BROKER_CONNECTIONS: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '32',
    doc: 'Maximum number of HTTP connections to the broker.',
  },
  BROKER_LIVENESS_MS: {
    schema: milliseconds({ min: 50, max: 300_000 }),
    default: '10000',
    doc: 'Interval of the pings on the broker’s stream; after two without a response it reconnects.',
  },
  BROKER_MAX_RETRY_DELAY_MS: {
    schema: milliseconds({ min: 50, max: 300_000 }),
    default: '5000',
    doc: 'Maximum delay between two attempts to connect the broker’s stream, or to subscribe again.',
  },
  EVENTS_PROTOCOL: {
    schema: text('a sub-protocol name').regex(SUBPROTOCOL_NAME),
    default: EVENTS_PROTOCOL,
    doc: 'Sub-protocol of the WebSocket.',
  },
  ALLOWED_ORIGINS: {
    schema: list()
      .refine((origins) => origins.every(isOrigin))
      .describe('a comma-separated list of origins such as https://console.example'),
    default: '',
    doc: 'Origins of web pages that may open the WebSocket and request an enrolment, in addition to pages of the gateway itself.',
  },
  EVENTS_FRAMES: {
    schema: choice(['array', 'object']),
    default: 'array',
    doc: 'Form of a frame with messages: array of messages (also for one), or one message as an object.',
  },
  EVENTS_WINDOW: {
    schema: integer({ min: 1, max: MAX_WINDOW }),
    default: '100',
    doc: 'Maximum number of unacknowledged messages on a WebSocket whose query has no window.',
  },
  EVENTS_MAX_CLIENTS: {
    schema: integer({ min: 1, max: 100_000 }),
    default: '2000',
    doc: 'Maximum number of open WebSockets; the next upgrade gets 503.',
  },
  EVENTS_BUFFER_BYTES: {
    schema: integer({ min: 33_554_432, max: 8_589_934_592 }),
    default: '268435456',
    doc: 'Maximum bytes that wait for all WebSockets, and that wait for the broker; above it the client with the most bytes is disconnected.',
  },
  EVENTS_LIVENESS_MS: {
    schema: milliseconds({ min: 50, max: 300_000 }),
    default: '15000',
    doc: 'Interval of the pings to WebSocket clients; after two without a response the connection is closed.',
  },
  EVENTS_CLIENT_URL: {
    schema: optional(webSocketUrl()),
    doc: 'Client mode: WebSocket server that the gateway connects to and serves like a client.',
  },
  EVENTS_CLIENT_QUERY: {
    schema: text('a query of /events'),
    default: 'clientId=dialled',
    doc: 'How that server is served: the query of a client of /events.',
  },
  EVENTS_CLIENT_USERNAME: {
    schema: optional(text('a user name without a colon').regex(/^[^:]+$/)),
    doc: 'User name of the gateway at that server.',
  },
  EVENTS_CLIENT_PASSWORD: {
    schema: optional(text('a password')),
    secret: true,
    doc: 'Password of that user.',
  },
  EVENTS_CLIENT_CA_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Certificate authority of that server when it is not a public one.',
  },
  EVENTS_CLIENT_CERT_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Client certificate for that server; set EVENTS_CLIENT_KEY_FILE as well.',
  },
  EVENTS_CLIENT_KEY_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Private key of that certificate.',
  },
});

export type Settings = SettingsOf<typeof definition>;
