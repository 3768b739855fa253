import { clientTlsMetrics, serverTlsMetrics, type MetricDefinition } from '@ssb/platform';
import { SIGN_IN_KINDS } from './access/sessions/session-identity.js';
import { SIGN_IN_FAILURES } from './sign-in/sign-in-failure.js';

/** Methods that operations of the API have. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'] as const;

const ROUTE =
  'templates of the OpenAPI document, those of the console, and `none` for a page of the console or an unknown address';

/** How a sign-in to the console ends. */
export const SIGN_IN_OUTCOMES = ['succeeded', ...SIGN_IN_FAILURES] as const;

/** The API's own metrics. */
export const METRICS = {
  requests: {
    type: 'counter',
    name: 'settlement_bridge_api_requests_total',
    help: 'Responses of the API.',
    labels: { route: ROUTE, method: METHODS, status: ['2xx', '3xx', '4xx', '5xx'] },
  },
  requestSeconds: {
    type: 'histogram',
    name: 'settlement_bridge_api_request_seconds',
    help: 'Duration of a request, without streams.',
    labels: { route: ROUTE, method: METHODS },
  },
  streams: {
    type: 'gauge',
    name: 'settlement_bridge_api_open_streams',
    help: 'Streams of events that are open.',
  },
  limited: {
    type: 'counter',
    name: 'settlement_bridge_api_requests_limited_total',
    help: 'Requests that were refused with 429, because their caller sent too many in a time, or had too many running at once.',
    labels: { limit: ['rate', 'concurrency'] },
  },
  unauthorized: {
    type: 'counter',
    name: 'settlement_bridge_api_requests_unauthorized_total',
    help: 'Requests without credentials (missing), and with credentials that are not valid (invalid).',
    labels: { credentials: ['missing', 'invalid'] },
  },
  signIns: {
    type: 'counter',
    name: 'settlement_bridge_api_sign_ins_total',
    help: 'Sign-ins to the console.',
    labels: { kind: SIGN_IN_KINDS, outcome: SIGN_IN_OUTCOMES },
  },
  accessReloads: {
    type: 'counter',
    name: 'settlement_bridge_api_access_reloads_total',
    help: 'Changes of API_ACCESS_FILE.',
    labels: { outcome: ['applied', 'refused'] },
  },
  accessAge: {
    type: 'gauge',
    name: 'settlement_bridge_api_access_age_seconds',
    help: 'Time since API_ACCESS_FILE was last read without errors.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the app, for docs/metrics.md. */
export const metricDefinitions: readonly MetricDefinition[] = [
  ...Object.values(METRICS),
  ...Object.values(serverTlsMetrics('api')),
  ...Object.values(clientTlsMetrics('api', { interfaces: ['hops', 'openid-connect', 'documents'] })),
];
