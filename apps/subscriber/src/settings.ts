import { openOperatorConfig, type OperatorConfigFile, type OperatorConfig } from '@ssb/config';
import { hostname } from 'node:os';
import { EVENTS_PROTOCOL, SUBPROTOCOL_NAME } from '@ssb/bus';
import {
  choice,
  clockSettings,
  commonSettings,
  reloadedConfigSettings,
  gatewayClientSettings,
  databaseSettings,
  defineSettings,
  exactHttpUrl,
  integer,
  milliseconds,
  optional,
  operationsWebhookSettings,
  outgoingConnectionSettings,
  port,
  retentionSettings,
  text,
  type Logger,
  type SettingsOf,
} from '@ssb/platform';
import { DELIVERY_MODES } from './reader/delivery-detector.js';

export const definition = defineSettings({
  ...commonSettings,
  ...reloadedConfigSettings('trusted senders, alert sinks and rules'),
  ...gatewayClientSettings('http://127.0.0.1:4012'),
  ...outgoingConnectionSettings,
  ...operationsWebhookSettings,
  ...databaseSettings,
  ...retentionSettings,
  ...clockSettings,
  PORT: { schema: port(), default: '4023', doc: 'Port of health and metrics.' },
  GATEWAY_EVENTS_PROTOCOL: {
    schema: text('a sub-protocol name').regex(SUBPROTOCOL_NAME),
    default: EVENTS_PROTOCOL,
    doc: "Sub-protocol of the gateway's WebSocket: its EVENTS_PROTOCOL.",
  },
  GATEWAY_DELIVERY: {
    schema: optional(choice(DELIVERY_MODES)),
    doc: "How the gateway delivers messages: acknowledged repeats what was not acknowledged, plain is document 002. Detected from the gateway's ws.yaml when unset.",
  },
  GATEWAY_CATCH_UP_INTERVAL_MS: {
    schema: milliseconds({ min: 1_000 }),
    default: '60000',
    doc: 'Plain delivery, and after another client took over `CLIENT_ID`: time between two catch-ups, which read with `GET /message` what was not pushed.',
  },
  GATEWAY_READ_INTERVAL_MS: {
    schema: milliseconds({ min: 100 }),
    default: '2000',
    doc: 'Plain delivery while /events is not connected: how often GET /message reads the channels.',
  },
  CLIENT_ID: {
    schema: text('a name without spaces'),
    default: 'subscriber',
    doc: 'Owner of the offsets and watermarks of the channels: the same for all replicas; another subscriber with the same identity needs another.',
  },
  WINDOW: {
    schema: integer({ min: 1, max: 10_000 }),
    default: '256',
    doc: 'Maximum messages in one transaction; with acknowledged delivery also the maximum that are received and not yet stored.',
  },
  REPLICA_NAME: {
    schema: optional(text('a name, unique among the running replicas')),
    doc: 'Name of this replica; a new process of the same name replaces the old one at once. Host name and PORT when unset.',
  },
  LEASE_TTL_MS: {
    schema: milliseconds({ min: 500, max: 20_000 }),
    default: '10000',
    doc: 'How long a lease lasts without renewal; then another replica takes over.',
  },
  SIGNATURE_SCHEME: {
    schema: choice(['eip191', 'keccak256']),
    default: 'eip191',
    doc: "What a sender's gateway signs: the payload as an EIP-191 personal message, or its keccak-256 hash.",
  },
  MESSAGE_SKEW_MS: {
    schema: milliseconds(),
    default: '60000',
    doc: "How far the bus's clock may be behind the publisher's; beyond it an event is marked clockSkew.",
  },
  MESSAGE_MAX_AGE_MS: {
    schema: milliseconds({ min: 1 }),
    default: '300000',
    doc: 'How long after the signature of an event the bus may append its message; a later event is marked late.',
  },
  LATE_AFTER_MS: {
    schema: milliseconds({ min: 1 }),
    default: '3600000',
    doc: 'An event is marked late when its fact was published longer ago than this. An invoice has only a date and is late after that day.',
  },
  QUARANTINE_MAX_BYTES: {
    schema: integer({ min: 0, max: 1_099_511_627_776 }),
    default: '1073741824',
    doc: 'Maximum bytes of the payloads of open messages in the quarantine. Beyond it, a message is stored without its payload.',
  },
  HEARTBEAT_TIMEOUT_MS: {
    schema: milliseconds({ min: 1_000 }),
    default: '180000',
    doc: "How long no heartbeat of a participant may arrive on a channel before an alert; at least twice the poller's interval.",
  },
  WATCHDOG_URL: {
    schema: optional(exactHttpUrl()),
    doc: 'Requested with GET each minute while heartbeats arrive, so that an external watchdog notices the loss of everything. Nothing is requested when unset.',
    secret: true,
  },
  DATABASE_UNAVAILABLE_AFTER_MS: {
    schema: milliseconds({ min: 100, max: 600_000 }),
    default: '15000',
    doc: 'A PostgreSQL that accepts no write for this time is reported as the fault database-unavailable, directly to the sinks.',
  },
  ALERT_CONCURRENCY: {
    schema: integer({ min: 1, max: 64 }),
    default: '8',
    doc: 'Concurrent attempts per sink, each for another subject. Three of them are free of replayed events, two of notices and one of alerts that are not urgent.',
  },
  ALERT_TIMEOUT_MS: {
    schema: milliseconds({ min: 1 }),
    default: '10000',
    doc: 'Maximum duration of one attempt to deliver to a sink; `timeout` of the sink replaces it.',
  },
  ALERT_RETRY_BASE_MS: {
    schema: milliseconds({ min: 1 }),
    default: '500',
    doc: 'Maximum delay before the second attempt; it doubles with each further one.',
  },
  ALERT_RETRY_CAP_MS: {
    schema: milliseconds({ min: 1 }),
    default: '60000',
    doc: 'Maximum delay between two attempts of a delivery. A failing sink is probed more often.',
  },
  ALERT_RESPONSE_LIMIT_BYTES: {
    schema: integer({ min: 0, max: 10_485_760 }),
    default: '65536',
    doc: "Maximum bytes of a receiver's response that are read.",
  },
  DELIVERY_LOG_DAYS: {
    schema: integer({ min: 1, max: 3_650 }),
    default: '30',
    doc: 'Days after which a row of the table `attempt` is deleted: one attempt of a delivery, with the response of its sink.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** Opens CONFIG_FILE, and fills its placeholders from the environment. @throws OperatorConfigError */
export function openConfig(settings: Settings, log: Logger): Promise<OperatorConfigFile> {
  return openOperatorConfig(settings, { environment: process.env, deliversAlerts: true }, log);
}

/** Name of this replica: REPLICA_NAME, or host name and port. */
export function replicaName({ REPLICA_NAME, PORT }: Settings): string {
  return REPLICA_NAME ?? `${hostname()}:${PORT}`;
}

/** `alertsSince` by participant, where CONFIG_FILE has one. */
export function readAlertsSince({ participants }: OperatorConfig): ReadonlyMap<string, Date> {
  return new Map(
    participants.flatMap(({ code, alertsSince }) =>
      alertsSince === undefined ? [] : [[code, new Date(alertsSince)]],
    ),
  );
}
