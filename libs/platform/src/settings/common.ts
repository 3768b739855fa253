import {
  choice,
  exactHttpUrl,
  flag,
  httpUrl,
  integer,
  keyPrefix,
  milliseconds,
  networks,
  optional,
  port,
  postgresUrl,
  text,
  webhookSecret,
} from './schemas.js';
import { clientTlsSettings, tlsReloadSettings } from './connection-settings.js';
import { defineSettings } from './settings.js';
import { tracingSettings } from './tracing-settings.js';

const pemFile = text('the path of a PEM file');

/** The settings that every app has. */
export const commonSettings = defineSettings({
  NODE_ENV: {
    schema: choice(['development', 'production', 'test']),
    default: 'development',
    doc: 'In production, a configuration that could lose data is refused; otherwise it is logged as a warning.',
  },
  HOST: {
    schema: text('an address to listen on'),
    default: '127.0.0.1',
    doc: 'Address that the ports listen on; 0.0.0.0 for every interface.',
  },
  LOG_LEVEL: {
    schema: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    doc: 'Minimum severity of the log lines that are written.',
  },
  LOG_FORMAT: {
    schema: choice(['auto', 'json', 'pretty']),
    default: 'auto',
    doc: 'Format of log lines; auto is pretty in a terminal and JSON otherwise.',
  },
  SHUTDOWN_TIMEOUT_MS: {
    schema: milliseconds({ min: 100, max: 300_000 }),
    default: '15000',
    doc: 'Maximum duration of a graceful shutdown; after that the process exits with status 1.',
  },
  MANAGEMENT_TOKEN_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'Bearer token that /metrics, /health, the state of the app and the details of /health/ready and /health/live require. When unset, none is required.',
  },
  MANAGEMENT_TLS_CERT_FILE: {
    schema: optional(pemFile),
    doc: 'Certificate of the management port with its chain; set it and MANAGEMENT_TLS_KEY_FILE for HTTPS, or neither for plain HTTP.',
  },
  MANAGEMENT_TLS_KEY_FILE: { schema: optional(pemFile), doc: 'Private key of that certificate.' },
  ...tracingSettings,
  ...tlsReloadSettings,
});

/** The settings of an app whose management port accepts actions. */
export const managementActionSettings = defineSettings({
  MANAGEMENT_OPERATE_TOKEN_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'Bearer token of the actions of the management port; it also allows what MANAGEMENT_TOKEN_FILE allows. When unset, actions are refused.',
  },
});

/** The settings of an app whose metrics contain amounts of the participants. */
export const businessMetricsSettings = defineSettings({
  METRICS_BUSINESS: {
    schema: flag(),
    default: 'true',
    doc: 'Whether /metrics contains business figures of the participants: margins, thresholds, outstanding amounts, publications.',
  },
});

/** The settings of every app that serves an interface on PORT. Any other app has its management addresses on PORT. */
export const managementPortSettings = defineSettings({
  MANAGEMENT_PORT: {
    schema: optional(port()),
    doc: 'Port of /health/live, /health/ready, /health and /metrics. When unset, PORT + 1000; any free port when PORT is 0.',
  },
  MANAGEMENT_HOST: {
    schema: text('an address to listen on'),
    default: '127.0.0.1',
    doc: 'Address that the management port listens on, independent of HOST; 0.0.0.0 for every interface.',
  },
});

/** The settings of every app that keeps its data in PostgreSQL. */
export const databaseSettings = defineSettings({
  DATABASE_URL: {
    schema: postgresUrl(),
    doc: "URL of the PostgreSQL database with the app's run role; sslmode configures TLS. Replicas of an app share it.",
    secret: true,
  },
  DATABASE_CONNECTIONS: {
    schema: integer({ min: 2, max: 100 }),
    default: '10',
    doc: 'Maximum size of the connection pool of one replica; one more connection listens for notifications.',
  },
});

/** The setting of the commands that apply migrations. */
export const migrationSettings = defineSettings({
  DATABASE_MIGRATION_URL: {
    schema: optional(postgresUrl()),
    doc: 'URL of the database with the migration role, which only the command of the migrations reads; DATABASE_URL when unset.',
    secret: true,
  },
});

/** The setting of the subscriber and of the migrations of its archive. */
export const retentionSettings = defineSettings({
  ARCHIVE_RETENTION_DAYS: {
    schema: optional(integer({ min: 35, max: 36_500 })),
    doc: 'Days after which an archived event is deleted, with its deliveries. `busbridge migrate` writes it to the database, because the run role must not shorten it. Unset, nothing is deleted.',
  },
});

/** The settings of an app that shares Redis with the other apps of one bridge. */
export const queueSettings = defineSettings({
  QUEUE_PREFIX: {
    schema: keyPrefix(),
    default: '{bridge}',
    doc: 'Prefix of every key of the bridge in Redis; bridges with different prefixes share a Redis without any effect on each other.',
  },
  QUEUE_UNAVAILABLE_AFTER_MS: {
    schema: milliseconds({ min: 100, max: 600_000 }),
    default: '5000',
    doc: 'A Redis that accepts no write for this time is reported as the fault queue-unavailable.',
  },
});

/** The settings of an app that reads keys or passwords from files. */
export const keysReloadSettings = defineSettings({
  KEYS_RELOAD_INTERVAL_MS: {
    schema: milliseconds({ min: 10, max: 3_600_000 }),
    default: '10000',
    doc: 'How often the files of keys and passwords are read; changes take effect without a restart.',
  },
});

/** The settings of an app that signs or verifies what the bridge keeps in Redis. */
export const integrityKeysSettings = defineSettings({
  INTEGRITY_KEYS_FILE: {
    schema: text('the path of a key ring file'),
    doc: 'Key ring that authenticates jobs and state in Redis; the same for the pollers and publishers of one bridge.',
  },
  ...keysReloadSettings,
});

/** The settings of an app that reports faults of the way of its own operational alerts. */
export const operationsWebhookSettings = defineSettings({
  OPERATIONS_WEBHOOK_URL: {
    schema: optional(exactHttpUrl({ tls: true })),
    doc: 'Receives the operational alerts about queue, gateway, database and sinks themselves (Standard Webhooks), which may not pass these.',
    secret: true,
  },
  OPERATIONS_WEBHOOK_SECRET: {
    schema: optional(webhookSecret()),
    doc: 'The Standard Webhooks secret of OPERATIONS_WEBHOOK_URL; required with it.',
    secret: true,
    requiredWith: 'OPERATIONS_WEBHOOK_URL',
  },
});

/** The settings of an app that compares its clock with the clocks of other systems. */
export const clockSettings = defineSettings({
  CLOCK_OFFSET_LIMIT_MS: {
    schema: milliseconds({ min: 2_000, max: 86_400_000 }),
    default: '30000',
    doc: 'Clock offset against another system beyond which an operational alert is sent; at least 2000, as HTTP dates have whole seconds.',
  },
});

/**
 * The settings of an app that reads the operator's configuration file.
 * @param content what the app reads from the file, for the docs
 */
export const configFileSettings = (content: string) =>
  defineSettings({
    CONFIG_FILE: {
      schema: text('the path of a YAML file'),
      default: 'config/bridge.yaml',
      doc: `The operator's configuration file: ${content}.`,
    },
  });

/** The settings of CONFIG_FILE in an app that reads it again when it changes. */
export const reloadedConfigSettings = (content: string) =>
  defineSettings({
    ...configFileSettings(content),
    CONFIG_RELOAD_INTERVAL_MS: {
      // The publisher waits five minutes for a file that names the participant of an event.
      schema: milliseconds({ min: 10, max: 60_000 }),
      default: '10000',
      doc: 'How long a changed CONFIG_FILE takes to be used; it is read twice in this time. A file with errors is refused.',
    },
  });

/**
 * The settings of a client of a message-bus gateway.
 * @param url default address of the gateway
 */
export const gatewayClientSettings = (url: string) =>
  defineSettings({
    GATEWAY_URL: {
      schema: httpUrl(),
      default: url,
      doc: "Address of the app's gateway, without /api. Its user and password are the settings below.",
    },
    GATEWAY_USERNAME: { schema: text('a user name'), doc: "The gateway's basic-authentication user." },
    GATEWAY_PASSWORD: {
      schema: optional(text('a password')),
      doc: 'Password of that user. This or GATEWAY_PASSWORD_FILE is required.',
      secret: true,
    },
    GATEWAY_PASSWORD_FILE: {
      schema: optional(text('the path of a key ring file or of a text file')),
      doc: 'File with the password, in place of GATEWAY_PASSWORD; a rotated password is used without a restart.',
    },
    ...keysReloadSettings,
    ...clientTlsSettings('GATEWAY', 'the gateway'),
    GATEWAY_CHECK_INTERVAL_MS: {
      schema: milliseconds({ min: 100, max: 3_600_000 }),
      default: '15000',
      doc: 'How often the user, the enrolment of the gateway and the rights on the channels are checked; also soon after a refusal.',
    },
  });

/** The settings of a port that serves HTTPS. */
export const tlsServerSettings = defineSettings({
  TLS_CERT_FILE: { schema: pemFile, doc: "The server's certificate with its chain." },
  TLS_KEY_FILE: { schema: pemFile, doc: 'Private key of that certificate.' },
  ...tlsReloadSettings,
});

/** The settings of a port that serves HTTPS when certificate and key are set, else plain HTTP. */
export const optionalTlsServerSettings = defineSettings({
  ...tlsServerSettings,
  TLS_CERT_FILE: {
    schema: optional(pemFile),
    doc: "The server's certificate with its chain; set it and TLS_KEY_FILE for HTTPS, or neither for plain HTTP.",
  },
  TLS_KEY_FILE: { schema: optional(pemFile), doc: 'Private key of that certificate.' },
});

/** The settings of an app that limits clients by their address. */
export const trustedProxySettings = defineSettings({
  TRUSTED_PROXIES: {
    schema: optional(networks({ every: false })),
    doc: 'Proxies whose header X-Forwarded-For names the address of the client; no other header is used.',
  },
});
