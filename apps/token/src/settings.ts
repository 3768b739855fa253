import {
  type SettingsOf,
  commonSettings,
  defineSettings,
  httpUrl,
  integer,
  optional,
  port,
  text,
} from '@ssb/platform';

/** The settings of the token service. */
export const definition = defineSettings({
  ...commonSettings,
  PORT: { schema: port(), default: '4001', doc: 'Port of the token service.' },
  TLS_CERT_FILE: {
    schema: optional(text('a path to a PEM certificate chain')),
    doc: "The server's certificate; together with TLS_KEY_FILE it turns HTTPS on. Plain HTTP when both are unset.",
  },
  TLS_KEY_FILE: {
    schema: optional(text('a path to a PEM private key')),
    doc: "The server's private key; together with TLS_CERT_FILE it turns HTTPS on.",
  },
  ISSUER: {
    schema: optional(httpUrl()),
    doc: 'The `iss` of every token and the address that the metadata names; when unset, the address made of scheme, HOST and PORT.',
  },
  AUDIENCE: {
    schema: text('any text, usually an address or URN'),
    default: 'urn:settlement-bus-bridge:data-exchange',
    doc: 'The `aud` of every token: the data-exchange interfaces that may accept it.',
  },
  TOKEN_LIFETIME_SECONDS: {
    schema: integer({ min: 1, max: 86_400 }),
    default: '3600',
    doc: 'How long a token lives, in seconds; `expires_in` says it.',
  },
  ACCOUNTS_FILE: {
    schema: text('a path to a JSON file of accounts'),
    doc: 'Accounts as the accounts command writes them; a change is noticed without a restart.',
  },
  KEY_FILE: {
    schema: text('a path to the sealed signing key'),
    doc: 'The ES256 key that signs tokens, encrypted; made at the first start.',
  },
  KEY_SECRET_FILE: {
    schema: text('a path to a file of at least 32 bytes'),
    doc: 'The secret that KEY_FILE is encrypted with.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** The issuer's address without a trailing slash. */
export function issuerOf(settings: Settings): string {
  const scheme = settings.TLS_CERT_FILE === undefined ? 'http' : 'https';
  return settings.ISSUER ?? `${scheme}://${settings.HOST}:${settings.PORT}`;
}
