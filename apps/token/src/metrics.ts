import { serverTlsMetrics, type MetricDefinition } from '@ssb/platform';

/** The token service's own metrics. */
export const METRICS = {
  issued: {
    type: 'counter',
    name: 'settlement_bridge_token_issued_total',
    help: 'Access tokens issued.',
  },
  refused: {
    type: 'counter',
    name: 'settlement_bridge_token_requests_refused_total',
    help: 'Token requests that were refused, by error code.',
    labels: {
      error: [
        'invalid_request',
        'invalid_client',
        'unsupported_grant_type',
        'invalid_scope',
        'temporarily_unavailable',
        'server_error',
      ],
    },
  },
  secretHashes: {
    type: 'counter',
    name: 'settlement_bridge_token_secret_hashes_total',
    help: 'Memory-hard hashes that were computed to check a secret.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the app, for docs/metrics.md. */
export const metricDefinitions: readonly MetricDefinition[] = [
  ...Object.values(METRICS),
  ...Object.values(serverTlsMetrics('token')),
];
