import { openOperatorConfig, type OperatorConfigFile } from '@ssb/config';
import { documentStoreSettings } from '@ssb/documents';
import {
  clientTlsSettings,
  commonSettings,
  databaseSettings,
  defineSettings,
  httpUrl,
  httpUrls,
  integer,
  managementPortSettings,
  optional,
  optionalTlsServerSettings,
  outgoingConnectionSettings,
  port,
  reloadedConfigSettings,
  text,
  trustedProxySettings,
  type Logger,
  type SettingsOf,
} from '@ssb/platform';

/** Management addresses of one app. */
const hopUrls = (app: string, example: string) => ({
  schema: optional(httpUrls()),
  doc: `Management addresses of ${app}, such as ${example}; each replica, or one address for all. Without it /v1/status does not show the app.`,
});

/** The console is served at the root of its host. */
const consoleUrl = () =>
  httpUrl({ tls: true })
    .refine((url) => new URL(url).pathname === '/')
    .describe('an address such as https://bridge.example without a path, or with http:// on loopback');

/** OpenID Connect Core §3.1.2.1 requires `openid`. */
const scopes = () =>
  text()
    .refine((value) => value.split(' ').includes('openid'))
    .describe('scopes separated by single spaces, with openid among them');

const { DATABASE_URL, DATABASE_CONNECTIONS } = databaseSettings;
const { HTTPS_PROXY, NO_PROXY } = outgoingConnectionSettings;

export const definition = defineSettings({
  ...commonSettings,
  ...managementPortSettings,
  ...optionalTlsServerSettings,
  ...trustedProxySettings,
  ...reloadedConfigSettings('participants and sinks'),
  PORT: { schema: port(), default: '4030', doc: 'Port of the API.' },
  CLIENT_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Authorities whose client certificates are accepted; needs HTTPS. Without it, callers have tokens only.',
  },
  API_ACCESS_FILE: {
    schema: text('the path of a YAML file'),
    doc: 'Who may use the API: hashed tokens, client certificates and claims of OpenID Connect. Read again every TLS_RELOAD_INTERVAL_MS; a file with errors is refused.',
  },
  OPENID_CONNECT_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: "Certificate authorities of the OpenID Connect issuer (PEM); the system's when unset.",
  },
  CONSOLE_URL: {
    schema: optional(consoleUrl()),
    doc: 'Address of the console in browsers, when a proxy is in front of the API, and for OpenID Connect. The issuer must allow /sign-in/callback there as redirect address.',
    requiredWith: 'OPENID_CONNECT_CLIENT_ID',
  },
  SESSION_HOURS: {
    schema: integer({ min: 1, max: 8 }),
    default: '8',
    doc: 'How long a person stays signed in to the console, hours; never longer than the access token behind the session.',
  },
  OPENID_CONNECT_CLIENT_ID: {
    schema: optional(text('a client id')),
    doc: 'Client of the issuer of API_ACCESS_FILE with which people sign in to the console. Without it they sign in with an access token.',
    requiredWith: 'OPENID_CONNECT_CLIENT_SECRET_FILE',
  },
  OPENID_CONNECT_CLIENT_SECRET_FILE: {
    schema: optional(text('the path of a text file')),
    doc: 'Secret of that client. Unset for a public client, which has none. A changed secret is used within five minutes.',
  },
  OPENID_CONNECT_SCOPES: {
    schema: scopes(),
    default: 'openid',
    doc: 'Scopes of a sign-in to the console. The issuer decides which claims each adds to the ID token.',
  },
  SIGN_IN_LINK_FILE: {
    schema: optional(text('the path of a file')),
    doc: 'One-time link of npm start, which signs a person in from this machine. Only for a system on one machine; unset, there are no links.',
  },
  HTTPS_PROXY,
  NO_PROXY,
  CALLER_REQUESTS_PER_SECOND: {
    schema: integer({ min: 1, max: 10_000 }),
    default: '50',
    doc: 'Requests of one caller per second, on average; those of four seconds may come at once. Further ones get 429.',
  },
  CALLER_CONCURRENT_REQUESTS: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '8',
    doc: 'Requests of one caller that run at once. Further ones get 429. With fewer than DATABASE_CONNECTIONS, one caller cannot delay the others.',
  },
  EVENT_STREAMS: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '100',
    doc: 'Streams of events that are open at once. Further ones get 503.',
  },
  CALLER_EVENT_STREAMS: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '4',
    doc: 'Streams of events that one caller has open at once. Further ones get 429.',
  },
  DATABASE_URL: {
    ...DATABASE_URL,
    doc: "URL of the subscriber's database with the role api; sslmode configures TLS.",
  },
  DATABASE_CONNECTIONS,
  ...documentStoreSettings,
  POLLER_URLS: hopUrls('the pollers', 'http://poller:4021'),
  PUBLISHER_URLS: hopUrls('the bus-publishers', 'http://bus-publisher:4022'),
  SUBSCRIBER_URLS: hopUrls('the subscribers', 'http://subscriber:4023'),
  GATEWAY_URLS: hopUrls('the gateways', 'http://gateway:5011'),
  HOPS_TOKEN_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'MANAGEMENT_TOKEN_FILE of these apps, when they have one.',
  },
  HOPS_OPERATE_TOKEN_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'MANAGEMENT_OPERATE_TOKEN_FILE of poller and bus-publisher. Without it they refuse retries, removals and backfills.',
  },
  ...clientTlsSettings('HOPS', 'the management ports of the other apps'),
});

export type Settings = SettingsOf<typeof definition>;

/** Opens CONFIG_FILE. The API uses what it sets for participants, so no placeholder needs a value. @throws OperatorConfigError */
export function openConfig(settings: Settings, log: Logger): Promise<OperatorConfigFile> {
  return openOperatorConfig(settings, { environment: process.env, needsNoPlaceholders: true }, log);
}
