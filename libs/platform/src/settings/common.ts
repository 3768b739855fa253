import { choice, httpUrl, integer, milliseconds, optional, postgresUrl, redisUrl, text } from './schemas.js';
import { defineSettings, type SettingsOf } from './settings.js';

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

/**
 * The settings of an app that uses Redis.
 * @param content what the app stores in Redis, for the docs
 */
export const redisSettings = (content: string) =>
  defineSettings({
    REDIS_URL: {
      schema: redisUrl(),
      default: 'redis://127.0.0.1:6379',
      doc: `Redis that holds ${content}.`,
      secret: true,
    },
  });

/** The settings of the queue between poller and bus-publisher. */
export const queueSettings = defineSettings({
  QUEUE_PREFIX: { schema: text(), default: '{bridge}', doc: 'Prefix of the queue keys in Redis.' },
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

/**
 * The settings of a client of a message-bus gateway.
 * @param url default address of the gateway
 */
export const gatewayClientSettings = (url: string) =>
  defineSettings({
    GATEWAY_URL: { schema: httpUrl(), default: url, doc: "Address of the app's gateway, without /api." },
    GATEWAY_USERNAME: { schema: text('a user name'), doc: "The gateway's basic-authentication user." },
    GATEWAY_PASSWORD: {
      schema: text('a password'),
      doc: "The gateway's basic-authentication password.",
      secret: true,
    },
    GATEWAY_CA_FILE: {
      schema: optional(text('the path of a PEM file')),
      doc: "CA certificate of a gateway that serves HTTPS; the system's CA certificates when unset.",
    },
  });

const pemFile = text('the path of a PEM file');

/** The settings of a server or client that reads its certificates from files. */
export const tlsReloadSettings = defineSettings({
  TLS_RELOAD_INTERVAL_MS: {
    schema: milliseconds({ min: 10, max: 3_600_000 }),
    default: '10000',
    doc: 'How often certificate, key and CA files are read; changes take effect without a restart.',
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

export type CommonSettings = SettingsOf<typeof commonSettings>;
