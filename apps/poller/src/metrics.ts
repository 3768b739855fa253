import { CONFIG_METRICS, DISCARDED_STATE_METRIC, FAULT_METRICS } from '@ssb/faults';
import { clockMetric, clientTlsMetrics, type MetricDefinition } from '@ssb/platform';
import { MARGIN_LEVELS, MARKET_INTERFACES } from '@ssb/events';
import { KEY_METRICS } from '@ssb/keys';
import { QUEUE_METRICS } from '@ssb/redis-queue';
import { DOCUMENT_METRICS } from './documents/document-metrics.js';
import { SOURCES } from './poller-clock.js';

const PARTICIPANT = 'PARTICIPANT';
const RESOURCES = ['statement', 'invoice'] as const;
const UNREADABLE_RESOURCES = [
  'calculation',
  'cycle',
  'statement',
  'invoice',
  'document',
  'estimation',
] as const;
export type UnreadableResource = (typeof UNREADABLE_RESOURCES)[number];
const TYPES = 'event types';
const WINDOWS = ['60s', '300s'] as const;

/** The poller's own metrics. Standby replicas do not have those that only the holder of the lease knows. */
export const METRICS = {
  leader: {
    type: 'gauge',
    name: 'settlement_bridge_poller_leader',
    help: '1 while this replica holds the lease of the participant, else 0, also while Redis does not respond; the sum over all replicas is 1. Absent while its access cannot be read.',
    labels: { participant: PARTICIPANT },
  },
  replicas: {
    type: 'gauge',
    name: 'settlement_bridge_poller_replicas',
    help: 'Replicas that poll the same participants and share their leases, this one included; 0 before Redis has responded.',
  },
  polls: {
    type: 'counter',
    name: 'settlement_bridge_poller_polls_total',
    help: 'Polls started.',
    labels: { participant: PARTICIPANT, poll: MARKET_INTERFACES },
  },
  skipped: {
    type: 'counter',
    name: 'settlement_bridge_poller_polls_skipped_total',
    help: 'Polls not started: the previous one was still running, or the poller paused after a failure.',
    labels: { participant: PARTICIPANT, poll: MARKET_INTERFACES, reason: ['still-running', 'pause'] },
  },
  failures: {
    type: 'counter',
    name: 'settlement_bridge_poller_failures_total',
    help: 'Failures of polls and of the lease.',
    labels: {
      participant: PARTICIPANT,
      poll: [...MARKET_INTERFACES, 'lease'],
      kind: 'classes of errors in the code',
    },
  },
  fetches: {
    type: 'counter',
    name: 'settlement_bridge_poller_fetches_total',
    help: 'Requests for statements, invoices, estimations and documents of invoices, by outcome.',
    labels: { resource: [...RESOURCES, 'estimation', 'document'], outcome: ['found', 'not-yet'] },
  },
  unreadable: {
    type: 'counter',
    name: 'settlement_bridge_poller_unreadable_total',
    help: 'Parts of responses that could not be used and are requested again; the other parts are used.',
    labels: { resource: UNREADABLE_RESOURCES },
  },
  detected: {
    type: 'counter',
    name: 'settlement_bridge_poller_events_detected_total',
    help: 'Events detected, repeats and heartbeats included.',
    labels: { type: TYPES },
  },
  events: {
    type: 'counter',
    name: 'settlement_bridge_poller_events_total',
    help: 'Events put on the queue, repeats and heartbeats included.',
    labels: { type: TYPES },
  },
  backfilled: {
    type: 'counter',
    name: 'settlement_bridge_poller_backfilled_events_total',
    help: 'Events of backfills put on the queue.',
    labels: { type: TYPES },
  },
  detectedToQueued: {
    type: 'histogram',
    name: 'settlement_bridge_poller_detected_to_queued_seconds',
    help: 'Time from the detection of a fact to its event on the queue.',
  },
  summarised: {
    type: 'counter',
    name: 'settlement_bridge_poller_events_summarised_total',
    help: 'Statements whose variables were replaced by a summary, because they exceed the limit of the route.',
  },
  revisionsWithoutChanges: {
    type: 'counter',
    name: 'settlement_bridge_poller_revisions_without_changes_total',
    help: 'Revisions of statements that do not say what changed.',
    labels: { reason: ['not-saved', 'too-large', 'no-room', 'unreadable', 'long-amount'] },
  },
  records: {
    type: 'gauge',
    name: 'settlement_bridge_poller_records',
    help: 'Full records in the record store, of all participants with this QUEUE_PREFIX.',
  },
  recordBytes: {
    type: 'gauge',
    name: 'settlement_bridge_poller_record_bytes',
    help: 'Size of the record store.',
  },
  recordsRemoved: {
    type: 'counter',
    name: 'settlement_bridge_poller_records_removed_total',
    help: 'Full records removed from the record store.',
    labels: { reason: ['age', 'bytes'] },
  },
  recordsRefused: {
    type: 'counter',
    name: 'settlement_bridge_poller_records_refused_total',
    help: 'Full records not stored, because one alone exceeds RECORD_STORE_MAX_BYTES.',
  },
  ...DOCUMENT_METRICS,
  lastSuccess: {
    type: 'gauge',
    name: 'settlement_bridge_poller_last_success_timestamp_seconds',
    help: 'When a poll last succeeded; an unusable statement or invoice does not count as a failure. Also of an earlier leader; absent on standby.',
    labels: { participant: PARTICIPANT, poll: MARKET_INTERFACES },
  },
  requests: {
    type: 'counter',
    name: 'settlement_bridge_poller_requests_total',
    help: 'Requests that the budget of an interface admitted.',
    labels: { participant: PARTICIPANT, interface: MARKET_INTERFACES },
  },
  requestsDelayed: {
    type: 'counter',
    name: 'settlement_bridge_poller_requests_delayed_total',
    help: 'Requests that had to wait for the budget of an interface, or for the end of a pause after a 429; those that were given up included.',
    labels: { participant: PARTICIPANT, interface: MARKET_INTERFACES },
  },
  budgetLimit: {
    type: 'gauge',
    name: 'settlement_bridge_poller_request_budget_limit',
    help: 'Requests that the budget of an interface allows in a window. Absent on standby and for an interface without a limit.',
    labels: { participant: PARTICIPANT, interface: MARKET_INTERFACES, window: WINDOWS },
  },
  budgetUsed: {
    type: 'gauge',
    name: 'settlement_bridge_poller_request_budget_used',
    help: 'Requests of all replicas that count in the present window. Absent on standby, without a limit, and while Redis is unavailable.',
    labels: { participant: PARTICIPANT, interface: MARKET_INTERFACES, window: WINDOWS },
  },
  unknownProperties: {
    type: 'counter',
    name: 'settlement_bridge_poller_unknown_properties_total',
    help: 'Properties in responses that the interface document does not define; they are dropped.',
    labels: { resource: 'resources of document 000 and 001' },
  },
  tradingMargin: {
    type: 'gauge',
    business: true,
    name: 'settlement_bridge_poller_trading_margin_aud',
    help: 'Trading margin of the latest calculation.',
    labels: { participant: PARTICIPANT },
  },
  outstandingAmount: {
    type: 'gauge',
    business: true,
    name: 'settlement_bridge_poller_outstanding_amount_aud',
    help: 'Outstanding amount of the latest calculation; absent when it has none.',
    labels: { participant: PARTICIPANT },
  },
  marginThreshold: {
    type: 'gauge',
    business: true,
    name: 'settlement_bridge_poller_margin_threshold_aud',
    help: 'Trading margin below which a level is entered.',
    labels: { participant: PARTICIPANT, level: ['WARNING', 'BREACHED'] },
  },
  marginLevel: {
    type: 'gauge',
    business: true,
    name: 'settlement_bridge_poller_margin_level',
    help: '1 for the level of the trading margin, 0 for the others; until the first poll of a leader the saved level.',
    labels: { participant: PARTICIPANT, level: MARGIN_LEVELS },
  },
  lastCalculation: {
    type: 'gauge',
    business: true,
    name: 'settlement_bridge_poller_last_calculation_timestamp_seconds',
    help: 'When the operator made the latest calculation.',
    labels: { participant: PARTICIPANT },
  },
  firstPoll: {
    type: 'gauge',
    business: true,
    name: 'settlement_bridge_poller_first_poll_timestamp_seconds',
    help: 'When the calculations of the participant were first polled, successfully or not. Without a calculation, the allowed time of the position begins then.',
    labels: { participant: PARTICIPANT },
  },
  publications: {
    type: 'gauge',
    business: true,
    name: 'settlement_bridge_poller_publications',
    help: 'Statements and invoices of the timeline window: due have reached their date in the timeline and are not there yet; published are there.',
    labels: { participant: PARTICIPANT, document: RESOURCES, state: ['due', 'published'] },
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the app, for docs/metrics.md. */
export const metricDefinitions: readonly MetricDefinition[] = [
  ...Object.values(METRICS),
  ...Object.values(QUEUE_METRICS),
  ...Object.values(
    clientTlsMetrics('poller', {
      interfaces: [...MARKET_INTERFACES, 'token', 'webhook', 'documents'],
      hasParticipants: true,
    }),
  ),
  ...Object.values(KEY_METRICS),
  ...Object.values(CONFIG_METRICS),
  ...Object.values(FAULT_METRICS),
  DISCARDED_STATE_METRIC,
  clockMetric(SOURCES),
];
