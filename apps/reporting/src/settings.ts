import {
  choice,
  commonSettings,
  databaseSettings,
  defineSettings,
  flag,
  httpUrl,
  integer,
  list,
  milliseconds,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';
import { CODE_MARK, NAME_PLACES } from './domain/participant-name.js';

/** The name of an HTTP header, in small letters as Node hands them over. */
const headerName = () =>
  text('the name of an HTTP header')
    .regex(/^[\w-]+$/)
    .transform((name) => name.toLowerCase())
    .describe('the name of an HTTP header');

/** Settings of the reporting API. */
export const definition = defineSettings({
  ...commonSettings,
  ...databaseSettings,
  PORT: { schema: port(), default: '4002', doc: "The participants' port: HTTPS with client certificates." },
  OPERATOR_PORT: {
    schema: port(),
    default: '4004',
    doc: "The operator's door, health and metrics; plain HTTP, for the operator's own network only.",
  },
  TLS_CERT_FILE: { schema: text('the path of a PEM file'), doc: 'Server certificate with its chain.' },
  TLS_KEY_FILE: { schema: text('the path of a PEM file'), doc: "The server certificate's private key." },
  CLIENT_CA_FILE: {
    schema: text('the path of a PEM file'),
    doc: 'Authorities whose client certificates are let in.',
  },
  FILES_RELOAD_INTERVAL_MS: {
    schema: milliseconds({ min: 10, max: 3_600_000 }),
    default: '10000',
    doc: 'How often certificates, keys, authorities and PARTICIPANT_MAP_FILE are looked at; changed ones are taken into use without a restart.',
  },
  PARTICIPANT_FROM: {
    schema: choice(NAME_PLACES),
    default: 'subject.CN',
    doc: 'Where in a client certificate the participant code stands; map-only for nowhere but PARTICIPANT_MAP_FILE.',
  },
  PARTICIPANT_FORM: {
    schema: text('a text with {code} in it once').refine((form) => form.split(CODE_MARK).length === 2),
    default: '{code}',
    doc: 'How the participant code stands there, such as urn:market:{code}; values of another form count for nothing.',
  },
  PARTICIPANT_MAP_FILE: {
    schema: optional(text('the path of a JSON file')),
    doc: 'Certificates whose participant is told one by one, before PARTICIPANT_FROM is looked at: {"byFingerprint": {"<SHA-256>": "<code>"}, "bySubject": {"O=Genco, CN=client-7": "<code>"}}.',
  },
  TRUSTED_PROXIES: {
    schema: list(
      'a comma-separated list of addresses, networks (10.0.0.0/8) and sha256:<fingerprint> of client certificates',
    ),
    default: '',
    doc: 'Proxies whose headers say who is calling. One that is named by its address needs no client certificate. Nobody when empty.',
  },
  PROXY_PARTICIPANT_HEADER: {
    schema: headerName(),
    default: 'x-participant-code',
    doc: 'Header in which a trusted proxy sets the participant code of the certificate that it verified.',
  },
  PROXY_THUMBPRINT_HEADER: {
    schema: headerName(),
    default: 'x-client-certificate-sha256',
    doc: "Header in which a trusted proxy sets that certificate's SHA-256, hexadecimal or base64url; bound tokens need it.",
  },
  REQUIRE_BOUND_TOKENS: {
    schema: flag(),
    default: 'false',
    doc: 'Take only access tokens that are bound to the client certificate (RFC 8705).',
  },
  JWKS_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4001/.well-known/jwks.json',
    doc: 'Where the token service publishes its signing keys.',
  },
  JWKS_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Private authority behind JWKS_URL, if it has one.',
  },
  TOKEN_ISSUER: {
    schema: text('the iss of its tokens'),
    default: 'http://127.0.0.1:4001',
    doc: 'Issuer that an access token must name.',
  },
  TOKEN_AUDIENCE: {
    schema: text('the aud of its tokens'),
    default: 'urn:settlement-bus-bridge:data-exchange',
    doc: 'Audience that an access token must name.',
  },
  DOCUMENT_CACHE_MIB: {
    schema: integer({ min: 0, max: 16_384 }),
    default: '64',
    doc: 'Memory for documents that were read, in MiB; 0 keeps none.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** `DATABASE_URL` for the migration command, which needs no other setting. */
export function migrationDatabaseUrl(): string | undefined {
  return process.env['DATABASE_URL'] || undefined;
}
