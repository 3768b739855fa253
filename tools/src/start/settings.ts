import {
  commonSettings,
  defineSettings,
  exactHttpUrl,
  optional,
  postgresUrl,
  redisUrl,
  text,
  type SettingsOf,
} from '@ssb/platform';

/** What `npm start` reads from the environment; each app's own settings are made by it. */
export const definition = defineSettings({
  NODE_ENV: commonSettings.NODE_ENV,
  PATH: {
    schema: text('folders of programs'),
    doc: 'Where redis-server or valkey-server is looked for, and PostgreSQL where npm has none for the platform.',
  },
  REDIS_URL: {
    schema: optional(redisUrl()),
    doc: 'A Redis to use instead of a private one.',
    secret: true,
  },
  DATABASE_URL: {
    schema: optional(postgresUrl()),
    doc: 'A PostgreSQL server to use instead of a private one, for a role that may create databases and roles; the database settlement_bus_bridge is made there.',
    secret: true,
  },
  WEBHOOK_URL: {
    schema: optional(exactHttpUrl()),
    doc: 'Where alerts are posted; a receiver inside npm start when unset.',
    secret: true,
  },
  WEBHOOK_SECRET: {
    schema: optional(text('whsec_ followed by at least 24 bytes in base64')),
    doc: 'The Standard Webhooks secret of WEBHOOK_URL; the one in secrets/webhook.secret of the data folder when unset.',
    secret: true,
  },
});

export type StartSettings = SettingsOf<typeof definition>;
