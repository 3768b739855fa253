import type { MetricDefinition } from '@ssb/platform';

const REASONS = '[reasons](alerts.md#reasons)';
const PARTICIPANT = 'participants of CONFIG_FILE, or `*` for all';

/** Metrics of `FaultReporter`. */
export const FAULT_METRICS = {
  occurrences: {
    type: 'counter',
    name: 'settlement_bridge_faults_total',
    help: 'Faults that were reported as operational alerts.',
    labels: { reason: REASONS, participant: PARTICIPANT },
  },
  dropped: {
    type: 'counter',
    name: 'settlement_bridge_operational_alerts_dropped_total',
    help: 'Operational alerts that were dropped, because their receiver (OPERATIONS_WEBHOOK_URL, or a sink while the database is unavailable) accepted none and newer ones filled its memory, or because neither Redis nor the database stored 10,000 faults; alert on any.',
  },
  active: {
    type: 'gauge',
    name: 'settlement_bridge_fault_active',
    help: '1 while a fault lasts, 0 after its end; alert when above 0. Faults of several documents of one interface are one series.',
    labels: {
      reason: REASONS,
      participant: PARTICIPANT,
      channel: 'channels of CONFIG_FILE, or empty',
      interface: '`prudential`, `settlement`, `token`, sinks of CONFIG_FILE, or empty',
    },
  },
} as const satisfies Record<string, MetricDefinition>;

/** Metric of `DiscardedState`. */
export const DISCARDED_STATE_METRIC = {
  type: 'counter',
  name: 'settlement_bridge_state_discarded_total',
  help: 'Values of saved state in Redis that were discarded, because their HMAC or their form is wrong, or an earlier value replaced them. State of a later release is logged, not counted.',
  labels: {
    state: ['poller-state', 'operational-alerts', 'backfill'],
    reason: ['missing', 'malformed', 'unknown-version', 'mismatch', 'unusable', 'rolled-back', 'too-large'],
  },
} as const satisfies MetricDefinition;
