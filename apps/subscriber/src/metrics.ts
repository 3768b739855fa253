import { CONFIG_METRICS, FAULT_METRICS } from '@ssb/faults';
import { clockMetric, clientTlsMetrics, type MetricDefinition } from '@ssb/platform';
import { PROBLEM_KINDS, SEVERITIES } from '@ssb/events';
import { KEY_METRICS } from '@ssb/keys';
import { SOURCES } from './faults/subscriber-clock.js';
import { REPEAT_KINDS } from './archive/archive-entries.js';
import { LASTING_STATES } from './domain/delivery-kind.js';
import { DELIVERY_MODES } from './reader/delivery-detector.js';
import { WITHHELD_REASONS } from './domain/delivery-kind.js';
import { REQUEST_KINDS, REQUEST_OUTCOMES } from './requests/request.js';
import { REJECTION_REASONS } from './receiver/domain/rejection.js';

const TYPES = 'event types';
const SINK = 'sinks of CONFIG_FILE';

/** The subscriber's own metrics. */
export const METRICS = {
  received: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_messages_received_total',
    help: 'Messages received from the gateway and processed.',
  },
  archived: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_events_archived_total',
    help: 'Events that were verified and archived.',
    labels: { type: TYPES },
  },
  publishedToVerified: {
    type: 'histogram',
    name: 'settlement_bridge_subscriber_published_to_verified_seconds',
    help: 'Time from the storage of a message by the bus to the archived event.',
  },
  testHeartbeat: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_test_heartbeat_timestamp_seconds',
    help: 'Time of the newest test heartbeat (busbridge heartbeat) that this replica verified and archived; absent before the first one. The command accepts any that is not older than its own.',
    labels: { participant: 'participants of CONFIG_FILE', channel: 'channels of CONFIG_FILE' },
  },
  repeats: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_repeats_total',
    help: 'Messages dropped as repeats: the message or its event was seen before, or the event restates a version of a statement or invoice that the archive holds.',
    labels: { of: REPEAT_KINDS },
  },
  quarantined: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_messages_quarantined_total',
    help: 'Messages that failed verification.',
    labels: { reason: REJECTION_REASONS },
  },
  quarantineReleased: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_quarantine_released_total',
    help: 'Quarantined messages that a later evaluation accepted.',
  },
  gaps: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_gaps_total',
    help: 'Gaps: messages that were removed from the bus before they were received, or that the gateway does not return; alert on any.',
  },
  catchUps: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_catch_ups_total',
    help: 'Catch-ups of a channel with GET /message: with plain delivery, and after another client took over CLIENT_ID.',
    labels: { outcome: ['completed', 'failed'] },
  },
  catchUpConsumers: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_catch_up_consumers_total',
    help: 'Plain delivery: new pairs of clientId and from. A bus may keep a durable consumer for each, indefinitely.',
  },
  catchUpMessages: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_catch_up_messages_total',
    help: 'Messages that a catch-up stored, because no push had brought them.',
  },
  pushesDropped: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_pushes_dropped_total',
    help: 'Pushed messages that were dropped because too many wait (plain delivery); a catch-up reads them.',
  },
  malformed: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_malformed_messages_total',
    help: 'Messages that do not conform to document 002 and were skipped.',
  },
  storageFailures: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_storage_failures_total',
    help: 'Failed database reads and writes; each is retried.',
  },
  leaseEnds: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_lease_ends_total',
    help: 'Leases that this replica lost or released.',
  },
  deliveryAttempts: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_delivery_attempts_total',
    help: 'Attempts to deliver an event to a sink, or to post its open problems again.',
    labels: {
      sink: SINK,
      outcome: ['delivered', 'rejected', 'unreachable', 'timeout', 'network-not-allowed', 'unverified'],
    },
  },
  replacedDeliveries: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_deliveries_replaced_total',
    help: 'Pending deliveries of a state that a newer event of the subject replaced.',
    labels: { sink: SINK },
  },
  withheldDeliveries: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_deliveries_withheld_total',
    help: 'Deliveries that a rule or a silence withheld. They are archived, and listed with the reason.',
    labels: { sink: SINK, reason: WITHHELD_REASONS },
  },
  digests: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_digests_total',
    help: 'Digests that this replica added. The events in them are counted as withheld with the reason grouped.',
    labels: { sink: SINK },
  },
  reminders: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_reminders_total',
    help: 'Reminders and escalations that this replica added because of problems that nobody had handled.',
    labels: { kind: ['reminder', 'escalation'] },
  },
  silences: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_silences_active',
    help: 'Silences that now withhold deliveries. The same for all replicas; absent on a replica without a lease.',
  },
  requests: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_requests_total',
    help: 'Requests of people (busbridge) that this replica has carried out, refused or could not complete.',
    labels: { kind: REQUEST_KINDS, outcome: REQUEST_OUTCOMES },
  },
  parkedDeliveries: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_deliveries_parked',
    help: 'Deliveries of all replicas that the sink refused; they are attempted again every ten minutes. Absent while the database is unavailable.',
    labels: { sink: `${SINK}, and earlier ones with parked deliveries` },
  },
  problems: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_problems',
    help: 'Problems that are open or acknowledged; the same on all replicas. Absent while the database is unavailable.',
    labels: { kind: PROBLEM_KINDS, severity: SEVERITIES, state: LASTING_STATES },
  },
  verifiedToDelivered: {
    type: 'histogram',
    name: 'settlement_bridge_subscriber_verified_to_delivered_seconds',
    help: 'Time from the archived event to its delivery.',
    labels: { sink: SINK },
  },
  detectedToDelivered: {
    type: 'histogram',
    name: 'settlement_bridge_subscriber_detected_to_delivered_seconds',
    help: 'Time from the detection of a fact to its delivery: the whole pipeline.',
    labels: { sink: SINK },
  },
  outboxDepth: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_deliveries_pending',
    help: 'Pending deliveries of all replicas; absent while the database is unavailable.',
    labels: { sink: `${SINK}, and earlier ones with pending deliveries` },
  },
  outboxOldest: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_oldest_pending_delivery_seconds',
    help: 'Age of the oldest pending delivery, 0 without one; absent while the database is unavailable.',
    labels: { sink: `${SINK}, and earlier ones with pending deliveries` },
  },
  sinkFailing: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_sink_failing_seconds',
    help: 'How long every attempt of this replica to deliver to the sink has failed; 0 after a success, and without pending deliveries.',
    labels: { sink: SINK },
  },
  reader: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_reader',
    help: '1 while this replica reads the channels; the sum over all replicas is 1.',
  },
  streamConnected: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_stream_connected',
    help: "1 while the gateway's stream is connected, or without /events while it can be read; 0 on replicas that do not read the channels.",
  },
  heartbeatAge: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_heartbeat_age_seconds',
    help: 'Age of the newest heartbeat by its own time; absent on replicas that do not read the channels.',
    labels: { participant: 'participants of CONFIG_FILE', channel: 'channels of CONFIG_FILE' },
  },
  buffered: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_messages_buffered',
    help: 'Messages that are received and not yet stored; with acknowledged delivery at most WINDOW.',
  },
  delivery: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_delivery',
    help: '1 for how the gateway delivers messages; 0 for the other mode and on replicas that do not read the channels.',
    labels: { mode: DELIVERY_MODES },
  },
  eventsDeleted: {
    type: 'counter',
    name: 'settlement_bridge_subscriber_events_deleted_total',
    help: 'Archived events that this replica deleted after ARCHIVE_RETENTION_DAYS.',
  },
  retentionAge: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_retention_age_seconds',
    help: 'Time since the expired events of the archive were last deleted completely; absent while events are kept.',
  },
  watermarkAge: {
    type: 'gauge',
    name: 'settlement_bridge_subscriber_watermark_age_seconds',
    help: 'Plain delivery: age of the oldest watermark, before which every message of its channel was read; absent without one.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the app, for docs/metrics.md. */
export const metricDefinitions: readonly MetricDefinition[] = [
  ...Object.values(METRICS),
  ...Object.values(
    clientTlsMetrics('subscriber', {
      interfaces: ['gateway', 'webhook', '`sink <name>` for one with certificates of its own'],
    }),
  ),
  ...Object.values(KEY_METRICS),
  ...Object.values(CONFIG_METRICS),
  ...Object.values(FAULT_METRICS),
  clockMetric(SOURCES),
];
