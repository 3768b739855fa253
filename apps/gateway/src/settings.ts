import { BALANCES, EVENTS_PROTOCOL, LARGEST_WINDOW, SUBPROTOCOL_NAME } from '@ssb/bus';
import { isDidMethod, SIGNATURE_SCHEMES, USUAL_METHOD } from '@ssb/identity';
import {
  choice,
  commonSettings,
  optionalTlsServerSettings,
  defineSettings,
  exactHttpUrl,
  httpUrl,
  integer,
  milliseconds,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';

/**
 * Largest request body and WebSocket frame, bytes: the largest payload of a channel (8 MiB), of which JSON may write a byte as two
 * (a quote, a line feed), and the few fields around it.
 */
export const BODY_LIMIT = 2 * 8_388_608 + 65_536;

const wei = () =>
  text()
    .regex(/^\d{1,78}$/)
    .transform(BigInt)
    .describe('a whole number of wei');

/** Everything that can be set on a gateway; document 002 leaves all of it to whoever runs one. */
export const definition = defineSettings({
  ...commonSettings,
  ...optionalTlsServerSettings,
  PORT: { schema: port(), default: '4011', doc: 'Port of the REST interface and of the WebSocket.' },
  MOST_CONNECTIONS: {
    schema: integer({ min: 10, max: 1_000_000 }),
    default: '10000',
    doc: 'Most connections to that port at once, WebSockets included; those beyond are closed.',
  },
  BASIC_AUTH_USERNAME: {
    schema: optional(text('a user name without a colon').regex(/^[^:]+$/)),
    doc: 'User name that callers of the gateway give; this user may do everything. Required without USERS_FILE.',
  },
  BASIC_AUTH_PASSWORD: {
    schema: optional(text('a password')),
    secret: true,
    doc: 'Password of that user.',
  },
  BASIC_AUTH_PASSWORD_HASH: {
    schema: optional(text('a line of the hash-password command')),
    secret: true,
    doc: 'Its hash, in place of the password.',
  },
  USERS_FILE: {
    schema: optional(text('a YAML file')),
    doc: 'More users: name, password or passwordHash, and rights (config, messages) of each; read again when it changes.',
  },
  DATA_FOLDER: {
    schema: text('a folder'),
    default: '.data/gateway',
    doc: 'Folder of the encrypted file with the identity; made when missing.',
  },
  IDENTITY_SECRET_FILE: {
    schema: optional(text('a file with at least 32 bytes')),
    doc: 'File with the secret that the private key is encrypted with at rest. This, IDENTITY_SECRET or IDENTITY_KEY_FILE is required.',
  },
  IDENTITY_SECRET: {
    schema: optional(text('at least 32 bytes')),
    secret: true,
    doc: 'The same secret in place of its file.',
  },
  IDENTITY_KEY_FILE: {
    schema: optional(text('a file with 64 hexadecimal characters')),
    doc: 'Private key in a mounted file, in place of one that is set over HTTP; POST config/identity is then refused.',
  },
  FILES_RELOAD_INTERVAL_MS: {
    schema: milliseconds({ min: 50, max: 3_600_000 }),
    default: '5000',
    doc: 'How often USERS_FILE and IDENTITY_KEY_FILE are read; changed ones are used without a restart.',
  },
  IDENTITY_BALANCE: {
    schema: choice(BALANCES),
    default: 'OK',
    doc: 'Balance that the identity shows without BALANCE_RPC_URL; this bus charges nothing, so it is a statement of the operator.',
  },
  BALANCE_RPC_URL: {
    schema: optional(exactHttpUrl()),
    secret: true,
    doc: 'JSON-RPC of an EVM node that is asked for the balance.',
  },
  BALANCE_NONE_BELOW_WEI: {
    schema: wei(),
    default: '1',
    doc: 'Less than this is the balance NONE.',
  },
  BALANCE_OK_FROM_WEI: {
    schema: wei(),
    default: '10000000000000000',
    doc: 'From this on the balance is OK; less is LOW.',
  },
  BALANCE_REFRESH_MS: {
    schema: milliseconds({ min: 50, max: 24 * 3_600_000 }),
    default: '30000',
    doc: 'How long a balance is shown before the node is asked again, also after it gave none.',
  },
  BALANCE_TIMEOUT_MS: {
    schema: milliseconds({ min: 50, max: 30_000 }),
    default: '3000',
    doc: 'Longest wait for the node.',
  },
  SIGNATURE_SCHEME: {
    schema: choice(SIGNATURE_SCHEMES),
    default: 'eip191',
    doc: 'How payloads are signed and checked: EIP-191 personal_sign, or plain keccak-256 without a prefix.',
  },
  DID_METHOD: {
    schema: text().refine(isDidMethod).describe('up to 32 small letters and digits'),
    default: USUAL_METHOD,
    doc: "Method of the gateway's DID, `did:<method>:<address>`; the one of its bus.",
  },
  USER_ROLE: {
    schema: text('a role name'),
    default: 'user.roles.messagebus.apps.bridge.iam.local',
    doc: 'Role that an enrolment asks for: user of the bus.',
  },
  BROKER_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4003',
    doc: 'Address of the message broker.',
  },
  BROKER_AUDIENCE: {
    schema: text('a name'),
    default: 'urn:message-bus:broker',
    doc: 'Audience that the broker wants in identity tokens.',
  },
  BROKER_CA_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Certificate authority of the broker when it is not a public one.',
  },
  BROKER_CERT_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Client certificate that the gateway shows the broker, with BROKER_KEY_FILE.',
  },
  BROKER_KEY_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Private key of that certificate.',
  },
  BROKER_TIMEOUT_MS: {
    schema: milliseconds({ min: 100, max: 120_000 }),
    default: '10000',
    doc: 'Longest wait for an answer of the broker.',
  },
  BROKER_CONNECTIONS: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '32',
    doc: 'Most HTTP connections to the broker at once.',
  },
  BROKER_LIVENESS_MS: {
    schema: milliseconds({ min: 50, max: 300_000 }),
    default: '10000',
    doc: 'Ping the broker’s stream this often; after two without any sign of life it is connected anew.',
  },
  BROKER_LONGEST_PAUSE_MS: {
    schema: milliseconds({ min: 50, max: 300_000 }),
    default: '5000',
    doc: 'Longest pause between two attempts to connect the broker’s stream, or to subscribe again.',
  },
  EVENTS_PROTOCOL: {
    schema: text('a sub-protocol name').regex(SUBPROTOCOL_NAME),
    default: EVENTS_PROTOCOL,
    doc: 'Sub-protocol of the WebSocket.',
  },
  EVENTS_WINDOW: {
    schema: integer({ min: 1, max: LARGEST_WINDOW }),
    default: '100',
    doc: 'Most unacknowledged messages on a WebSocket whose client names no window.',
  },
  EVENTS_MOST_CLIENTS: {
    schema: integer({ min: 1, max: 100_000 }),
    default: '2000',
    doc: 'Most WebSockets at once; the next upgrade is answered with 503.',
  },
  EVENTS_BUFFER_BYTES: {
    schema: integer({ min: 33_554_432, max: 8_589_934_592 }),
    default: '268435456',
    doc: 'Most bytes that wait for all WebSockets, and of theirs that wait for the broker; beyond it the one with the most is cut off.',
  },
  EVENTS_LIVENESS_MS: {
    schema: milliseconds({ min: 50, max: 300_000 }),
    default: '15000',
    doc: 'Ping WebSocket clients this often; after two without any sign of life the connection is dropped.',
  },
  EVENTS_CLIENT_URL: {
    schema: optional(
      text('a WebSocket address').regex(
        /^wss?:\/\/[^\s@]+$/,
        'must begin with ws:// or wss:// and name no user',
      ),
    ),
    doc: 'Client mode: WebSocket server that the gateway dials and serves as if it had dialled in.',
  },
  EVENTS_CLIENT_QUERY: {
    schema: text('a query of /events'),
    default: 'clientId=dialled',
    doc: 'How that server is served: what a client of /events would ask for in its query.',
  },
  EVENTS_CLIENT_USERNAME: {
    schema: optional(text('a user name without a colon').regex(/^[^:]+$/)),
    doc: 'User name that the gateway gives when it dials.',
  },
  EVENTS_CLIENT_PASSWORD: {
    schema: optional(text('a password')),
    secret: true,
    doc: 'Password that goes with it.',
  },
  EVENTS_CLIENT_CA_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Certificate authority of that server when it is not a public one.',
  },
  EVENTS_CLIENT_CERT_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Client certificate that the gateway shows that server, with EVENTS_CLIENT_KEY_FILE.',
  },
  EVENTS_CLIENT_KEY_FILE: {
    schema: optional(text('a PEM file')),
    doc: 'Private key of that certificate.',
  },
});

export type Settings = SettingsOf<typeof definition>;
