import {
  type SettingsOf,
  commonSettings,
  optionalTlsServerSettings,
  databaseSettings,
  defineSettings,
  httpUrl,
  integer,
  managementPortSettings,
  migrationSettings,
  optional,
  port,
  readSettings,
  text,
  toUrlHost,
  trustedProxySettings,
} from '@ssb/platform';
import { MAX_TOKEN_LIFETIME_SECONDS, MIN_ROTATION_SECONDS } from './domain/key-schedule.js';

/** The settings of the token service. */
export const definition = defineSettings({
  ...commonSettings,
  ...optionalTlsServerSettings,
  ...databaseSettings,
  ...migrationSettings,
  ...managementPortSettings,
  PORT: { schema: port(), default: '4001', doc: 'Port of the token service.' },
  ...trustedProxySettings,
  CLIENT_CA_FILE: {
    schema: optional(text('a path to PEM certificates')),
    doc: 'Authorities of the client certificates that tokens can be bound to; HTTPS only. When unset, no client certificate is requested.',
  },
  ISSUER: {
    // RFC 8414 §2 allows no query and no fragment.
    schema: optional(httpUrl()),
    doc: 'The `iss` of every token and the address in the metadata. When unset, the address made of scheme, HOST and PORT.',
  },
  AUDIENCE: {
    schema: text('any text, usually an address or URN'),
    default: 'urn:settlement-bus-bridge:data-exchange',
    doc: 'The `aud` of every token: the data-exchange interfaces that may accept it.',
  },
  TOKEN_LIFETIME_SECONDS: {
    schema: integer({ min: 1, max: MAX_TOKEN_LIFETIME_SECONDS }),
    default: '3600',
    doc: 'Lifetime of a token in seconds, the `expires_in` of the response.',
  },
  KEY_SECRET_FILE: {
    schema: text('a path to a file of at least 32 bytes'),
    doc: 'The secret that encrypts the signing keys in the database.',
  },
  KEY_ROTATION_SECONDS: {
    schema: integer({ min: MIN_ROTATION_SECONDS, max: 31 * 86_400 }),
    default: '86400',
    doc: 'How long a key signs, in seconds, before the next one replaces it.',
  },
  ADMIN_PORT: {
    schema: port(),
    default: '4006',
    doc: 'Port of the admin API, which manages accounts; plain HTTP, for an internal network only.',
  },
  ADMIN_HOST: {
    schema: text('an address or host name'),
    default: '127.0.0.1',
    doc: 'Address that the admin API listens on, independent of HOST. It must not be reachable from outside.',
  },
  ADMIN_SECRET_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'The secret of the admin API. When unset, there is no admin API.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** The issuer's address without a trailing slash. */
export function getIssuer(settings: Settings): string {
  const scheme = settings.TLS_CERT_FILE === undefined ? 'http' : 'https';
  return settings.ISSUER ?? `${scheme}://${toUrlHost(settings.HOST)}:${settings.PORT}`;
}

/** The settings from which the accounts command finds the admin API, if it runs in the environment of the service. */
export const adminDefinition = defineSettings({
  ADMIN_PORT: definition.ADMIN_PORT,
  ADMIN_SECRET_FILE: definition.ADMIN_SECRET_FILE,
});
export type AdminSettings = SettingsOf<typeof adminDefinition>;

/** @throws SettingsError */
export function readAdminSettings(): AdminSettings {
  return readSettings(adminDefinition, process.env);
}
