import { hostname } from 'node:os';
import { EVENTS_PROTOCOL, SUBPROTOCOL_NAME } from '@ssb/bus';
import { loadOperatorConfig, type OperatorConfig } from '@ssb/operator-config';
import {
  choice,
  commonSettings,
  configFileSettings,
  gatewayClientSettings,
  databaseSettings,
  defineSettings,
  integer,
  milliseconds,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';

export const definition = defineSettings({
  ...commonSettings,
  ...configFileSettings('trusted senders, alert sinks and rules'),
  ...gatewayClientSettings('http://127.0.0.1:4012'),
  ...databaseSettings,
  PORT: { schema: port(), default: '4023', doc: 'Port of health and metrics.' },
  GATEWAY_EVENTS_PROTOCOL: {
    schema: text('a sub-protocol name').regex(SUBPROTOCOL_NAME),
    default: EVENTS_PROTOCOL,
    doc: "Sub-protocol of the gateway's WebSocket: its EVENTS_PROTOCOL.",
  },
  CLIENT_ID: {
    schema: text('a name without spaces'),
    default: 'subscriber',
    doc: 'Whose position in the channels this is: the same for all replicas; another subscriber of the same identity needs another.',
  },
  WINDOW: {
    schema: integer({ min: 1, max: 10_000 }),
    default: '256',
    doc: 'Most messages received that are not stored yet, and most in one transaction.',
  },
  REPLICA_NAME: {
    schema: optional(text('a name, unique among the replicas that run')),
    doc: 'Names this replica; a new process of the same name replaces the old one at once. The host name and PORT when unset.',
  },
  LEASE_TTL_MS: {
    schema: milliseconds({ min: 500, max: 20_000 }),
    default: '10000',
    doc: 'How long a lease lasts. Another replica takes over the work of one that has not renewed its lease for so long.',
  },
  SIGNATURE_SCHEME: {
    schema: choice(['eip191', 'keccak256']),
    default: 'eip191',
    doc: "What a sender's gateway signs: the payload as an EIP-191 personal message, or its bare keccak-256.",
  },
  MESSAGE_SKEW_MS: {
    schema: milliseconds(),
    default: '60000',
    doc: "How far the bus's clock may be behind the publisher's.",
  },
  MESSAGE_MAX_AGE_MS: {
    schema: milliseconds({ min: 1 }),
    default: '300000',
    doc: 'How long after an event was sealed the bus may have taken its message; later is a replay.',
  },
  ALERT_CONCURRENCY: {
    schema: integer({ min: 1, max: 64 }),
    default: '8',
    doc: 'Attempts at the same time for each sink, each for another subject.',
  },
  ALERT_TIMEOUT_MS: {
    schema: milliseconds({ min: 1 }),
    default: '10000',
    doc: 'How long one attempt at a webhook may take.',
  },
  ALERT_RETRY_BASE_MS: {
    schema: milliseconds({ min: 1 }),
    default: '500',
    doc: 'Longest wait before the second attempt; it doubles with each further one.',
  },
  ALERT_RETRY_CAP_MS: {
    schema: milliseconds({ min: 1 }),
    default: '60000',
    doc: 'Longest wait between two attempts.',
  },
  ALERT_RESPONSE_LIMIT_BYTES: {
    schema: integer({ min: 0, max: 10_485_760 }),
    default: '65536',
    doc: "How much of a webhook's answer is read.",
  },
});

export type Settings = SettingsOf<typeof definition>;

/** Name of this replica. */
export function replicaName({ REPLICA_NAME, PORT }: Settings): string {
  return REPLICA_NAME ?? `${hostname()}:${PORT}`;
}

/** `DATABASE_URL` for the commands, which take no other settings. */
export function databaseUrl(): string | undefined {
  return process.env['DATABASE_URL'];
}

/**
 * The operator's file; `${NAME}` in it stands for an environment variable.
 * @throws OperatorConfigError
 */
export function operatorConfig({ CONFIG_FILE }: Settings): OperatorConfig {
  return loadOperatorConfig(CONFIG_FILE, process.env);
}
