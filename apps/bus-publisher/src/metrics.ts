import { CONFIG_METRICS, DISCARDED_STATE_METRIC, FAULT_METRICS } from '@ssb/faults';
import { clockMetric, clientTlsMetrics, type MetricDefinition } from '@ssb/platform';
import { KEY_METRICS } from '@ssb/keys';
import { QUEUE_METRICS, DEAD_LETTER_CAUSES } from '@ssb/redis-queue';
import { SOURCES } from './publisher-clock.js';

const TYPES = 'event types';

/** The bus-publisher's own metrics. `queue_` describes what all replicas share; it is absent while Redis does not respond. */
export const METRICS = {
  attempts: {
    type: 'counter',
    name: 'settlement_bridge_publisher_attempts_total',
    help: 'Attempts to publish an event; dropped are heartbeats, ignored events and alerts without a route.',
    labels: {
      type: `${TYPES}, or other`,
      outcome: ['published', 'retry', 'dead-letter', 'dropped'],
    },
  },
  queueWait: {
    type: 'histogram',
    name: 'settlement_bridge_publisher_queue_wait_seconds',
    help: 'Time from the addition of an event to the queue to the start of its first attempt.',
  },
  detectedToPublished: {
    type: 'histogram',
    name: 'settlement_bridge_publisher_detected_to_published_seconds',
    help: 'Time from the detection of a fact to its acceptance by the bus.',
  },
  origin: {
    type: 'gauge',
    name: 'settlement_bridge_publisher_origin_info',
    help: '1 for the DID of the origin key that signed the last event.',
    labels: { did: 'one, of ORIGIN_KEY_FILE' },
  },
  deadLetters: {
    type: 'gauge',
    name: 'settlement_bridge_queue_dead_letters',
    help: 'Events that need an operator before they can be published; alert when above 0. Absent while Redis does not respond.',
  },
  unverifiedDeadLetters: {
    type: 'gauge',
    name: 'settlement_bridge_queue_unverified_dead_letters',
    help: 'Jobs without a valid HMAC that are kept, at most 1,000; alert when above 0. Absent while Redis does not respond.',
  },
  refusedJobs: {
    type: 'counter',
    name: 'settlement_bridge_publisher_refused_jobs_total',
    help: 'Jobs that were not published because their HMAC is not valid.',
    labels: { reason: ['missing', 'malformed', 'unknown-version', 'mismatch'] },
  },
  evictedRefusedJobs: {
    type: 'counter',
    name: 'settlement_bridge_publisher_evicted_refused_jobs_total',
    help: 'Unverified dead letters that were removed, because newer ones reached the limits of number and size.',
  },
  retriedDeadLetters: {
    type: 'counter',
    name: 'settlement_bridge_publisher_dead_letters_retried_total',
    help: 'Dead letters that the publisher queued again by itself, because their cause can have ended.',
    labels: { cause: [...DEAD_LETTER_CAUSES] },
  },
  sinceProgress: {
    type: 'gauge',
    name: 'settlement_bridge_publisher_since_progress_seconds',
    help: 'Time since an attempt last started or ended.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the app, for docs/metrics.md. */
export const metricDefinitions: readonly MetricDefinition[] = [
  ...Object.values(METRICS),
  ...Object.values(QUEUE_METRICS),
  ...Object.values(clientTlsMetrics('publisher', { interfaces: ['gateway', 'webhook'] })),
  ...Object.values(KEY_METRICS),
  ...Object.values(CONFIG_METRICS),
  ...Object.values(FAULT_METRICS),
  DISCARDED_STATE_METRIC,
  clockMetric(SOURCES),
];
