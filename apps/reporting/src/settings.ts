import {
  commonSettings,
  tlsServerSettings,
  databaseSettings,
  defineSettings,
  flag,
  exactHttpUrl,
  integer,
  managementPortSettings,
  migrationSettings,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';

/** Settings of the reporting API. */
export const definition = defineSettings({
  ...commonSettings,
  ...tlsServerSettings,
  ...databaseSettings,
  ...migrationSettings,
  ...managementPortSettings,
  PORT: { schema: port(), default: '4002', doc: "The participants' port: HTTPS with client certificates." },
  OPERATOR_PORT: {
    schema: port(),
    default: '4004',
    doc: "Operator API; plain HTTP, for the operator's own network only.",
  },
  CLIENT_CA_FILE: {
    schema: text('the path of a PEM file'),
    doc: 'Authorities whose client certificates are accepted.',
  },
  REQUIRE_BOUND_TOKENS: {
    schema: flag(),
    default: 'false',
    doc: 'Accept only access tokens that are bound to the client certificate (RFC 8705).',
  },
  JWKS_URL: {
    schema: exactHttpUrl({ credentials: false }),
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
    doc: 'Memory for cached documents, in MiB; 0 disables the cache.',
  },
});

export type Settings = SettingsOf<typeof definition>;
