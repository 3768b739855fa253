import {
  commonSettings,
  configFileSettings,
  gatewayClientSettings,
  queueSettings,
  redisSettings,
  defineSettings,
  integer,
  milliseconds,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';
import { loadOperatorConfig, type OperatorConfig } from '@ssb/operator-config';

export const definition = defineSettings({
  ...commonSettings,
  ...redisSettings('the queue and the dead letters'),
  ...queueSettings,
  ...configFileSettings('the routes from event type to channel and topic'),
  ...gatewayClientSettings('http://127.0.0.1:4011'),
  PORT: { schema: port(), default: '4022', doc: 'Port of health and metrics.' },
  GATEWAY_TIMEOUT_MS: {
    schema: milliseconds({ min: 100, max: 120_000 }),
    default: '10000',
    doc: 'Longest wait for an answer of the gateway; afterwards the event is sent again with the same id.',
  },
  CONCURRENCY: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '16',
    doc: 'Events under way to the gateway at once.',
  },
  ORIGIN_KEY_FILE: {
    schema: text('the name of a sealed file'),
    doc: 'Sealed file with the private key that states the origin of each event (64 hexadecimal digits).',
  },
  ORIGIN_KEY_SECRET_FILE: {
    schema: text('the name of a file'),
    doc: 'File with the secret that the key file was sealed with.',
  },
  STUCK_AFTER_MS: {
    schema: milliseconds({ min: 1_000 }),
    default: '60000',
    doc: 'Not ready when an event has waited this long and nothing was worked off in the meantime.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** The operator's file, its placeholders filled from the environment. @throws OperatorConfigError */
export function operatorConfig(settings: Settings): OperatorConfig {
  return loadOperatorConfig(settings.CONFIG_FILE, process.env);
}
