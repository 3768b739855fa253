import { openOperatorConfig, type OperatorConfigFile } from '@ssb/config';
import {
  clockSettings,
  commonSettings,
  managementActionSettings,
  reloadedConfigSettings,
  integrityKeysSettings,
  operationsWebhookSettings,
  outgoingConnectionSettings,
  gatewayClientSettings,
  queueSettings,
  redisSettings,
  defineSettings,
  integer,
  milliseconds,
  port,
  text,
  type Logger,
  type SettingsOf,
} from '@ssb/platform';

export const definition = defineSettings({
  ...commonSettings,
  ...managementActionSettings,
  ...redisSettings('the queue and the dead letters'),
  ...queueSettings,
  ...integrityKeysSettings,
  ...operationsWebhookSettings,
  ...reloadedConfigSettings('the routes from event type to channel and topic'),
  ...gatewayClientSettings('http://127.0.0.1:4011'),
  ...outgoingConnectionSettings,
  ...clockSettings,
  PORT: { schema: port(), default: '4022', doc: 'Port of health and metrics.' },
  GATEWAY_TIMEOUT_MS: {
    schema: milliseconds({ min: 100, max: 120_000 }),
    default: '10000',
    doc: 'Maximum wait for a response of the gateway. After that, the event is sent again with the same id.',
  },
  CONCURRENCY: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '16',
    doc: 'Events in flight to the gateway at the same time. Four additional slots are reserved for margin and credit-support events.',
  },
  ORIGIN_KEY_FILE: {
    schema: text('the name of an encrypted file'),
    doc: 'Encrypted file with the private key that signs each event: 64 hexadecimal digits, or a key ring of such keys.',
  },
  ORIGIN_KEY_SECRET_FILE: {
    schema: text('the name of a file'),
    doc: 'File with the secret that encrypts the key file.',
  },
  TRANSACTION_ID_KEYS_FILE: {
    schema: text('the path of a key ring file'),
    doc: 'Key ring from which the transactionId of each message is computed; the same for all publishers of one bridge.',
  },
  STUCK_AFTER_MS: {
    schema: milliseconds({ min: 1_000 }),
    default: '60000',
    doc: 'The app is not ready when an event has waited this long and no event was processed in the meantime.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** Opens CONFIG_FILE, and fills its placeholders from the environment. @throws OperatorConfigError */
export function openConfig(settings: Settings, log: Logger): Promise<OperatorConfigFile> {
  return openOperatorConfig(settings, { environment: process.env, deliversAlerts: false }, log);
}
