import {
  choice,
  commonSettings,
  configFileSettings,
  queueSettings,
  redisSettings,
  defineSettings,
  httpUrl,
  integer,
  milliseconds,
  optional,
  port,
  text,
  tlsReloadSettings,
  type SettingsOf,
} from '@ssb/platform';
import { loadOperatorConfig, type OperatorConfig } from '@ssb/operator-config';

const file = () => text('the name of a PEM file');

export const definition = defineSettings({
  ...commonSettings,
  ...redisSettings('the queue, the lease and the state of the poller'),
  ...queueSettings,
  ...configFileSettings('the margin thresholds of the participant'),
  PORT: { schema: port(), default: '4021', doc: 'Port of health and metrics.' },
  PARTICIPANT: {
    schema: text('a participant code of at most 60 characters')
      .max(60)
      .describe('a participant code of at most 60 characters'),
    doc: 'The participant polled for; one for each poller.',
  },
  TOKEN_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4001',
    doc: 'Token service, without /oauth/v1/token.',
  },
  TOKEN_CA_FILE: { schema: optional(file()), doc: 'Authority that the token service is checked against.' },
  TOKEN_CERT_FILE: {
    schema: optional(file()),
    doc: 'Client certificate shown to the token service, where it binds its tokens to one.',
  },
  TOKEN_KEY_FILE: { schema: optional(file()), doc: 'Private key of that certificate.' },
  TOKEN_CLIENT_AUTHENTICATION: {
    schema: choice(['form', 'basic']),
    default: 'form',
    doc: 'Where the credentials travel: in the form, or by HTTP Basic.',
  },
  TOKEN_SCOPE: {
    schema: text('scopes, separated by blanks'),
    default: 'PRUDENTIAL SETTLEMENT',
    doc: 'Scopes asked for: no more than the two interfaces need.',
  },
  CLIENT_ID: { schema: text(), doc: "Account of the participant's OAuth client." },
  CLIENT_SECRET: { schema: text(), doc: 'Password of that account.', secret: true },
  PRUDENTIAL_URL: {
    schema: httpUrl(),
    default: 'https://127.0.0.1:4002',
    doc: 'Prudential reporting interface, without /api/v2.',
  },
  SETTLEMENT_URL: {
    schema: httpUrl(),
    default: 'https://127.0.0.1:4002',
    doc: 'Settlement reporting interface, without /api/v2; often another host than the prudential one.',
  },
  CLIENT_CERT_FILE: { schema: optional(file()), doc: "The participant's client certificate." },
  CLIENT_KEY_FILE: { schema: optional(file()), doc: 'Private key of the client certificate.' },
  REPORTING_CA_FILE: {
    schema: optional(file()),
    doc: 'Authority that the reporting interfaces are checked against; the system list when unset.',
  },
  SETTLEMENT_CERT_FILE: {
    schema: optional(file()),
    doc: 'Client certificate for the settlement interface, where it differs from CLIENT_CERT_FILE.',
  },
  SETTLEMENT_KEY_FILE: {
    schema: optional(file()),
    doc: 'Private key for the settlement interface, where it differs from CLIENT_KEY_FILE.',
  },
  SETTLEMENT_CA_FILE: {
    schema: optional(file()),
    doc: 'Authority of the settlement interface, where it differs from REPORTING_CA_FILE.',
  },
  ...tlsReloadSettings,
  PRUDENTIAL_REQUESTS_PER_MINUTE: {
    schema: integer({ min: 0, max: 1_000_000 }),
    default: '50',
    doc: 'Most requests of all replicas together to the prudential interface in any minute; 0 for no limit.',
  },
  PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES: {
    schema: integer({ min: 0, max: 1_000_000 }),
    default: '200',
    doc: 'The same in any five minutes; 0 for no limit.',
  },
  SETTLEMENT_REQUESTS_PER_MINUTE: {
    schema: integer({ min: 0, max: 1_000_000 }),
    default: '0',
    doc: 'Most requests of all replicas together to the settlement interface in any minute; 0, as it states no limit.',
  },
  SETTLEMENT_REQUESTS_PER_FIVE_MINUTES: {
    schema: integer({ min: 0, max: 1_000_000 }),
    default: '0',
    doc: 'The same in any five minutes; 0 for no limit.',
  },
  REQUEST_BUDGET_WAIT_MS: {
    schema: milliseconds({ min: 0, max: 300_000 }),
    default: '30000',
    doc: 'Longest wait for room in the request budget; a poll that would wait longer is put off.',
  },
  REQUEST_TIMEOUT_MS: {
    schema: milliseconds({ min: 100, max: 120_000 }),
    default: '10000',
    doc: 'Longest wait for an answer of the market.',
  },
  SETTLEMENT_REQUEST_TIMEOUT_MS: {
    schema: optional(milliseconds({ min: 100, max: 120_000 })),
    doc: 'Longest wait for an answer of the settlement interface, where it differs from REQUEST_TIMEOUT_MS.',
  },
  POLL_PRUDENTIAL_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '15000',
    doc: 'How often the latest prudential calculation is asked for.',
  },
  POLL_SETTLEMENT_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '30000',
    doc: 'How often the timeline is asked for, and what it lets expect.',
  },
  TIMELINE_LOOKBACK_DAYS: {
    schema: integer({ min: 0, max: 1_000 }),
    default: '60',
    doc: 'Invoice days this far back are looked at.',
  },
  TIMELINE_LOOKAHEAD_DAYS: {
    schema: integer({ min: 0, max: 1_000 }),
    default: '60',
    doc: 'Invoice days this far ahead are looked at.',
  },
  SETTLEMENT_ASKS_PER_POLL: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '14',
    doc: 'Most statements and invoices asked for in one poll; with the default, both interfaces together stay within 50 requests a minute and 200 in five.',
  },
  LEASE_TTL_MS: {
    schema: milliseconds({ min: 500, max: 60_000 }),
    default: '8000',
    doc: 'How long another replica waits after the leading one died without a word; renewed at three tenths of it.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** The operator's file, its placeholders filled from the environment. @throws OperatorConfigError */
export function operatorConfig(settings: Settings): OperatorConfig {
  return loadOperatorConfig(settings.CONFIG_FILE, process.env);
}
