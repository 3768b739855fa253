import {
  clientTlsMetrics,
  DATA_FOLDER_METRICS,
  serverTlsMetrics,
  type MetricDefinition,
} from '@ssb/platform';

const RELOAD = ['applied', 'refused'] as const;

/** The gateway's own metrics. */
export const METRICS = {
  sent: {
    type: 'counter',
    name: 'settlement_bus_gateway_messages_sent_total',
    help: 'Messages that clients sent, by sent or the error code.',
    labels: { outcome: 'sent, failed, and the error codes of document 002' },
  },
  waiting: {
    type: 'gauge',
    name: 'settlement_bus_gateway_messages_waiting',
    help: 'Messages that are not yet in a request to the broker.',
  },
  brokerPost: {
    type: 'histogram',
    name: 'settlement_bus_gateway_broker_post_seconds',
    help: 'Duration of a request to the broker that posts messages.',
  },
  delivered: {
    type: 'counter',
    name: 'settlement_bus_gateway_messages_delivered_total',
    help: 'Messages sent on WebSockets, repeats included.',
  },
  gaps: {
    type: 'counter',
    name: 'settlement_bus_gateway_events_gaps_total',
    help: 'Times that retention removed messages before a client received them, repeats included.',
  },
  clients: {
    type: 'gauge',
    name: 'settlement_bus_gateway_events_clients',
    help: 'WebSocket clients connected.',
  },
  dialled: {
    type: 'gauge',
    name: 'settlement_bus_gateway_events_dialled',
    help: '1 while the WebSocket server of EVENTS_CLIENT_URL is connected.',
  },
  brokerStream: {
    type: 'gauge',
    name: 'settlement_bus_gateway_broker_stream_connected',
    help: '1 while the stream to the broker is connected.',
  },
  certificate: clientTlsMetrics('gateway', { interfaces: ['broker', 'events-client'] }).daysLeft,
  enrolled: {
    type: 'gauge',
    name: 'settlement_bus_gateway_enrolled',
    help: '1 when the identity held the user role at the last check.',
  },
  identityReloads: {
    type: 'counter',
    name: 'settlement_bus_gateway_identity_reloads_total',
    help: 'Changes of IDENTITY_KEY_FILE.',
    labels: { outcome: RELOAD },
  },
  usersReloads: {
    type: 'counter',
    name: 'settlement_bus_gateway_users_reloads_total',
    help: 'Changes of USERS_FILE.',
    labels: { outcome: RELOAD },
  },
  loginsRefused: {
    type: 'counter',
    name: 'settlement_bus_gateway_logins_refused_total',
    help: 'Requests with a wrong user name or password (wrong), and those that were not checked because too many waited (busy).',
    labels: { reason: ['wrong', 'busy'] },
  },
  passwordHashes: {
    type: 'counter',
    name: 'settlement_bus_gateway_password_hashes_total',
    help: 'Memory-hard hashes that were computed to check a password.',
  },
  balanceRequests: {
    type: 'counter',
    name: 'settlement_bus_gateway_balance_requests_total',
    help: 'Balance requests to the EVM node.',
    labels: { outcome: ['known', 'failed'] },
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the app, for docs/metrics.md. */
export const metricDefinitions: readonly MetricDefinition[] = [
  ...Object.values(METRICS),
  ...Object.values(serverTlsMetrics('gateway')),
  ...Object.values(DATA_FOLDER_METRICS),
];
