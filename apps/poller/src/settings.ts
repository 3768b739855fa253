import { openOperatorConfig, type OperatorConfigFile } from '@ssb/config';
import { documentWriterSettings } from '@ssb/documents';
import {
  choice,
  businessMetricsSettings,
  clientCertificateSettings,
  clientTlsSettings,
  clockSettings,
  commonSettings,
  managementActionSettings,
  reloadedConfigSettings,
  integrityKeysSettings,
  operationsWebhookSettings,
  outgoingConnectionSettings,
  queueSettings,
  redisSettings,
  defineSettings,
  httpUrl,
  integer,
  list,
  milliseconds,
  optional,
  port,
  text,
  type Logger,
  type SettingsOf,
} from '@ssb/platform';
import { recordSettings } from './records/record-settings.js';

const MEMBER_NAMES = 'names of JSON members, separated by commas';
/** Every object has the members of an empty list. */
const memberNames = list(MEMBER_NAMES)
  .refine((names) => names.length > 0)
  .describe(MEMBER_NAMES);

export const definition = defineSettings({
  ...commonSettings,
  ...managementActionSettings,
  ...redisSettings('the queue, the lease and the state of the poller'),
  ...queueSettings,
  ...integrityKeysSettings,
  ...operationsWebhookSettings,
  ...reloadedConfigSettings('participants, how they are reached, and what is detected for them'),
  PORT: { schema: port(), default: '4021', doc: 'Port of health and metrics.' },
  PARTICIPANT: {
    schema: optional(
      text('a participant code of at most 60 characters')
        .max(60)
        .describe('a participant code of at most 60 characters'),
    ),
    doc: 'The only participant whose publications are polled; when unset, all participants of CONFIG_FILE.',
  },
  TOKEN_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4001',
    doc: 'Token service, without /oauth/v1/token.',
  },
  ...clientTlsSettings('TOKEN', 'the token service'),
  TOKEN_CLIENT_AUTHENTICATION: {
    schema: choice(['form', 'basic']),
    default: 'form',
    doc: 'How the credentials are sent: in the form, or by HTTP Basic.',
  },
  TOKEN_SCOPE: {
    schema: text('scopes, separated by spaces'),
    default: 'PRUDENTIAL SETTLEMENT',
    doc: 'Scopes to request: no more than the two interfaces need.',
  },
  TOKEN_CLIENT_ID: {
    schema: optional(text()),
    doc: 'Account of the OAuth client of the one participant that has no access in CONFIG_FILE.',
  },
  TOKEN_CLIENT_SECRET: {
    schema: optional(text()),
    doc: 'Secret of that account.',
    secret: true,
  },
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
  ...clientCertificateSettings('CLIENT', 'the reporting interfaces, of the participant of TOKEN_CLIENT_ID'),
  REPORTING_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Certificate authority of the reporting interfaces; the system list when unset.',
  },
  ...clientCertificateSettings('SETTLEMENT', 'the settlement interface, if it needs another one'),
  SETTLEMENT_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Certificate authority of the settlement interface, if it differs from REPORTING_CA_FILE.',
  },
  REPORTING_NOT_FOUND_MEMBERS: {
    schema: optional(memberNames),
    doc: 'Members of the JSON object that the operator sends with a 404 for a document that is not published, such as `code,detail`. A 404 without them is unusable. When unset, an empty body and a problem (RFC 9457) of status 404 are accepted.',
  },
  ...outgoingConnectionSettings,
  SUBSCRIBER_URL: {
    schema: optional(httpUrl()),
    doc: 'Management address of the subscriber: a subscriber that is silent there is a fault (subscriber-silent). Not checked when unset. One address for all replicas.',
  },
  SUBSCRIBER_TOKEN_FILE: {
    schema: optional(text('a path to a file of at least 32 bytes')),
    doc: 'MANAGEMENT_TOKEN_FILE of the subscriber, when it has one.',
  },
  SUBSCRIBER_CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: "Certificate authorities of SUBSCRIBER_URL (PEM); the system's when unset.",
  },
  ...documentWriterSettings,
  ...clockSettings,
  ...businessMetricsSettings,
  PRUDENTIAL_REQUESTS_PER_MINUTE: {
    schema: integer({ min: 0, max: 1_000_000 }),
    default: '50',
    doc: 'Maximum requests for one participant to the prudential interface in any minute, of all replicas together; 0 for no limit.',
  },
  PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES: {
    schema: integer({ min: 0, max: 1_000_000 }),
    default: '200',
    doc: 'The same in any five minutes; 0 for no limit.',
  },
  SETTLEMENT_REQUESTS_PER_MINUTE: {
    schema: integer({ min: 0, max: 1_000_000 }),
    default: '0',
    doc: 'Maximum requests for one participant to the settlement interface in any minute, of all replicas together; 0, because it states no limit.',
  },
  SETTLEMENT_REQUESTS_PER_FIVE_MINUTES: {
    schema: integer({ min: 0, max: 1_000_000 }),
    default: '0',
    doc: 'The same in any five minutes; 0 for no limit.',
  },
  REQUEST_BUDGET_WAIT_MS: {
    schema: milliseconds({ min: 0, max: 300_000 }),
    default: '30000',
    doc: 'Maximum wait for the request budget; a poll that would wait longer is postponed.',
  },
  REQUEST_TIMEOUT_MS: {
    schema: milliseconds({ min: 100, max: 120_000 }),
    default: '10000',
    doc: 'Maximum wait for a response of the market.',
  },
  SETTLEMENT_REQUEST_TIMEOUT_MS: {
    schema: optional(milliseconds({ min: 100, max: 120_000 })),
    doc: 'Maximum wait for a response of the settlement interface, if it differs from REQUEST_TIMEOUT_MS.',
  },
  POLL_PRUDENTIAL_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '15000',
    doc: 'Interval at which the calculations of the trading days from yesterday to 31 days ahead are fetched.',
  },
  PRUDENTIAL_RECOVERY_DAYS: {
    schema: integer({ min: 2, max: 366 }),
    default: '14',
    doc: 'How many past trading days are read at most: all of them without a saved position, otherwise those since the day before the latest calculation, or since the first day of a response that was partly unreadable.',
  },
  POLL_SETTLEMENT_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '10000',
    doc: 'Interval at which the poller looks for settlement requests that are due. A look without one sends nothing.',
  },
  TIMELINE_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '21600000',
    doc: 'Interval at which the timeline is fetched; it is also fetched after each invoice day.',
  },
  SETTLEMENT_DUE_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '30000',
    doc: 'Interval at which a statement or invoice is requested from the day on which it is due to the end of the seventh day after it; later less often.',
  },
  SETTLEMENT_OVERDUE_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '21600000',
    doc: 'Largest interval of a statement or invoice that is missing for longer.',
  },
  SETTLEMENT_COMMENCED_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '3600000',
    doc: 'Interval from the commencement date of its run to the day on which it is due.',
  },
  SETTLEMENT_EARLY_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '86400000',
    doc: 'Interval before the commencement date of its run.',
  },
  SETTLEMENT_RETRY_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '60000',
    doc: 'Largest interval after a failed request. For a statement or invoice that is not due it doubles with each further failure, up to its normal interval.',
  },
  SETTLEMENT_RECHECK_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '3600000',
    doc: 'Interval at which a published statement or invoice is requested again for revisions, in the first SETTLEMENT_RECHECK_DAYS.',
  },
  SETTLEMENT_RECHECK_DAYS: {
    schema: integer({ min: 0, max: 1_000 }),
    default: '3',
    doc: 'Days after its publication in which a statement or invoice is requested again at SETTLEMENT_RECHECK_INTERVAL_MS.',
  },
  SETTLEMENT_LATER_RECHECK_INTERVAL_MS: {
    schema: milliseconds({ min: 50 }),
    default: '86400000',
    doc: 'The same interval after these days, until TIMELINE_LOOKBACK_DAYS end.',
  },
  HEARTBEAT_INTERVAL_MS: {
    schema: milliseconds({ min: 100, max: 86_400_000 }),
    default: '60000',
    doc: 'Interval at which a heartbeat is published for each participant on each channel of CONFIG_FILE.',
  },
  TIMELINE_LOOKBACK_DAYS: {
    schema: integer({ min: 0, max: 1_000 }),
    default: '60',
    doc: 'How far back the invoice days of the timeline query reach.',
  },
  TIMELINE_LOOKAHEAD_DAYS: {
    schema: integer({ min: 0, max: 1_000 }),
    default: '60',
    doc: 'How far ahead the invoice days of the timeline query reach.',
  },
  SETTLEMENT_FETCHES_PER_POLL: {
    schema: integer({ min: 1, max: 1_000 }),
    default: '4',
    doc: 'Maximum statements and invoices fetched in one poll; with the default, both interfaces together stay within 50 requests a minute and 200 in five minutes.',
  },
  BACKFILL_REQUEST_INTERVAL_MS: {
    schema: milliseconds({ min: 10, max: 600_000 }),
    default: '3000',
    doc: 'Time between two requests of a backfill of one participant. They count in the request budget of their interface.',
  },
  ...recordSettings,
  LEASE_TTL_MS: {
    schema: milliseconds({ min: 500, max: 60_000 }),
    default: '8000',
    doc: 'How long another replica waits after the leader stopped without releasing its lease; the leader renews after three tenths of it.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** Opens CONFIG_FILE, and fills its placeholders from the environment. @throws OperatorConfigError */
export function openConfig(settings: Settings, log: Logger): Promise<OperatorConfigFile> {
  return openOperatorConfig(settings, { environment: process.env, deliversAlerts: false }, log);
}
