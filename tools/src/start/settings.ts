import {
  commonSettings,
  defineSettings,
  exactHttpUrl,
  optional,
  postgresUrl,
  redisCredentialSettings,
  redisUrl,
  retentionSettings,
  text,
  webhookSecret,
  type SettingsOf,
} from '@ssb/platform';

/** Environment variables of `npm start`, which itself sets the variables of the apps. */
export const definition = defineSettings({
  NODE_ENV: commonSettings.NODE_ENV,
  PATH: {
    schema: text('folders of programs'),
    doc: 'Where redis-server or valkey-server is searched, and PostgreSQL if npm has no package for the platform.',
  },
  ...redisCredentialSettings,
  ...retentionSettings,
  REDIS_URL: {
    schema: optional(redisUrl()),
    doc: 'A Redis to use instead of a private one.',
    secret: true,
  },
  DATABASE_URL: {
    schema: optional(postgresUrl()),
    doc: 'A PostgreSQL server to use instead of a private one, with a role that may create databases and roles. The database settlement_bus_bridge is created there.',
    secret: true,
  },
  WEBHOOK_URL: {
    schema: optional(exactHttpUrl({ tls: true })),
    doc: 'The subscriber posts alerts here. If unset, to a receiver that npm start runs.',
    secret: true,
  },
  WEBHOOK_SECRET: {
    schema: optional(webhookSecret()),
    doc: 'The Standard Webhooks secret of WEBHOOK_URL. If unset, secrets/webhook.secret in the data folder is used.',
    secret: true,
  },
  OPERATIONS_WEBHOOK_URL: {
    schema: optional(exactHttpUrl({ tls: true })),
    doc: 'Poller, bus-publisher and subscriber post faults here that may not pass the bus. If unset, to a receiver that npm start runs.',
    secret: true,
  },
  OPERATIONS_WEBHOOK_SECRET: {
    schema: optional(webhookSecret()),
    doc: 'The Standard Webhooks secret of OPERATIONS_WEBHOOK_URL, not that of WEBHOOK_URL. If unset, secrets/operations-webhook.secret in the data folder is used.',
    secret: true,
  },
});

export type StartSettings = SettingsOf<typeof definition>;
