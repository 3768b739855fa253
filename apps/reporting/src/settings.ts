import {
  commonSettings,
  defineSettings,
  httpUrl,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';

/** Settings of the reporting API. */
export const definition = defineSettings({
  ...commonSettings,
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
    doc: "Authorities whose client certificates are let in; a certificate's common name is the participant code.",
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
  DATA_DIR: {
    schema: text('a folder, or memory:// for records that are gone with the process'),
    default: '.data/reporting',
    doc: 'Folder of the embedded database that holds the records.',
  },
});

export type Settings = SettingsOf<typeof definition>;
