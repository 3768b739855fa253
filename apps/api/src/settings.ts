import {
  commonSettings,
  databaseSettings,
  defineSettings,
  managementPortSettings,
  optional,
  optionalTlsServerSettings,
  port,
  reloadedConfigSettings,
  text,
  type SettingsOf,
} from '@ssb/platform';

const { DATABASE_URL, DATABASE_CONNECTIONS } = databaseSettings;

export const definition = defineSettings({
  ...commonSettings,
  ...managementPortSettings,
  ...optionalTlsServerSettings,
  ...reloadedConfigSettings('participants and sinks'),
  PORT: { schema: port(), default: '4030', doc: 'Port of the API.' },
  CLIENT_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Authorities whose client certificates are accepted; needs HTTPS. Without it, callers have tokens only.',
  },
  API_ACCESS_FILE: {
    schema: text('the path of a YAML file'),
    doc: 'Who may use the API: hashed tokens, client certificates and claims of OpenID Connect.',
  },
  DATABASE_URL: {
    ...DATABASE_URL,
    doc: "URL of the subscriber's database with the role api; sslmode configures TLS.",
  },
  DATABASE_CONNECTIONS,
});

export type Settings = SettingsOf<typeof definition>;
