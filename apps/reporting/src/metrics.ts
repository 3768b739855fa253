import { FAULT_KINDS } from '@ssb/market/admin';
import { serverTlsMetrics, type MetricDefinition } from '@ssb/platform';
import { ACCESS_REFUSALS } from './access/access-decision.js';

/** The reporting API's own metrics. */
export const METRICS = {
  responses: {
    type: 'counter',
    name: 'settlement_bridge_reporting_responses_total',
    help: 'Responses to participants, by outcome or why access was refused.',
    labels: {
      operation: 'operations of document 000',
      outcome: ['found', 'not-found', 'failed', ...ACCESS_REFUSALS],
    },
  },
  faultsApplied: {
    type: 'counter',
    name: 'settlement_bridge_reporting_faults_applied_total',
    help: 'Responses to participants that an injected fault altered.',
    labels: { kind: FAULT_KINDS },
  },
  faults: {
    type: 'gauge',
    name: 'settlement_bridge_reporting_faults',
    help: 'Injected faults that are active.',
  },
  bulkLoads: {
    type: 'gauge',
    name: 'settlement_bridge_reporting_bulk_loads',
    help: 'Bulk loads in flight at the operator API.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the app, for docs/metrics.md. */
export const metricDefinitions: readonly MetricDefinition[] = [
  ...Object.values(METRICS),
  ...Object.values(serverTlsMetrics('reporting')),
];
