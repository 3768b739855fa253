import {
  type SettingsOf,
  commonSettings,
  optionalTlsServerSettings,
  databaseSettings,
  defineSettings,
  httpUrl,
  integer,
  optional,
  port,
  readSettings,
  text,
} from '@ssb/platform';
import { MAX_TOKEN_LIFETIME_SECONDS, MIN_ROTATION_SECONDS } from './domain/key-schedule.js';

/** The settings of the token service. */
export const definition = defineSettings({
  ...commonSettings,
  ...optionalTlsServerSettings,
  ...databaseSettings,
  PORT: { schema: port(), default: '4001', doc: 'Port of the token service.' },
  CLIENT_CA_FILE: {
    schema: optional(text('a path to PEM certificates')),
    doc: 'Authorities whose client certificates tokens can be bound to; HTTPS only. No client certificate is asked for when unset.',
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
    schema: integer({ min: 1, max: MAX_TOKEN_LIFETIME_SECONDS }),
    default: '3600',
    doc: 'How long a token lives, in seconds; `expires_in` says it.',
  },
  KEY_SECRET_FILE: {
    schema: text('a path to a file of at least 32 bytes'),
    doc: 'The secret that the signing keys in the database are encrypted with.',
  },
  KEY_ROTATION_SECONDS: {
    schema: integer({ min: MIN_ROTATION_SECONDS, max: 31 * 86_400 }),
    default: '86400',
    doc: 'How long a key signs, in seconds, before the next one takes its place.',
  },
  ADMIN_PORT: {
    schema: port(),
    default: '4006',
    doc: 'Port of the admin door, where accounts are managed; plain HTTP, for the own network only.',
  },
  ADMIN_HOST: {
    schema: text('an address or host name'),
    default: '127.0.0.1',
    doc: 'Address that the admin door listens on, whatever HOST is; another one only where nobody from outside gets at it.',
  },
  ADMIN_SECRET_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'The secret that opens the admin door; there is no door when unset.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** The issuer's address without a trailing slash. */
export function getIssuer(settings: Settings): string {
  const scheme = settings.TLS_CERT_FILE === undefined ? 'http' : 'https';
  return settings.ISSUER ?? `${scheme}://${settings.HOST}:${settings.PORT}`;
}

/** Of the service's own settings, those by which the accounts command finds the door when it runs in the same surroundings. */
const adminDefinition = defineSettings({
  ADMIN_PORT: definition.ADMIN_PORT,
  ADMIN_SECRET_FILE: definition.ADMIN_SECRET_FILE,
});
export type AdminSettings = SettingsOf<typeof adminDefinition>;

/** @throws SettingsError */
export function readAdminSettings(): AdminSettings {
  return readSettings(adminDefinition, process.env);
}

/** `DATABASE_URL` for the migration command, which needs no other setting. */
export function readDatabaseUrl(): string | undefined {
  return process.env['DATABASE_URL'] || undefined;
}
