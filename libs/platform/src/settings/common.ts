import { choice, integer, milliseconds, postgresUrl, text } from './schemas.js';
import { defineSettings } from './define.js';

/** The settings that every app has. */
export const commonSettings = defineSettings({
  NODE_ENV: {
    schema: choice(['development', 'production', 'test']),
    default: 'development',
    doc: 'In production, what could lose data is refused instead of warned about.',
  },
  HOST: {
    schema: text('an address to listen on'),
    default: '127.0.0.1',
    doc: 'Address that the ports listen on; 0.0.0.0 for every interface.',
  },
  LOG_LEVEL: {
    schema: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    doc: 'The least severe log line that is written.',
  },
  LOG_FORMAT: {
    schema: choice(['auto', 'json', 'pretty']),
    default: 'auto',
    doc: 'How log lines look; auto is pretty in a terminal and JSON otherwise.',
  },
  SHUTDOWN_TIMEOUT_MS: {
    schema: milliseconds({ min: 100, max: 300_000 }),
    default: '15000',
    doc: 'How long a graceful shutdown may take before the process ends anyway, with exit status 1.',
  },
});

/** The settings of every app that keeps its data in PostgreSQL. */
export const databaseSettings = defineSettings({
  DATABASE_URL: {
    schema: postgresUrl(),
    doc: "Address of the PostgreSQL database, for the app's run role; TLS by sslmode. Replicas of an app share it.",
    secret: true,
  },
  DATABASE_CONNECTIONS: {
    schema: integer({ min: 2, max: 100 }),
    default: '10',
    doc: 'Most connections of one replica to the database; one more listens for notifications.',
  },
});

export type CommonSettings = import('./define.js').SettingsOf<typeof commonSettings>;
