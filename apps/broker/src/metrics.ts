import type { MetricDefinition } from '@ssb/platform';

/** Channels with a label of their own; clients create channels. */
export const MAX_CHANNEL_LABELS = 50;
const CHANNEL = `the first ${MAX_CHANNEL_LABELS} channels with messages, then \`other\``;

/** The broker's own metrics. */
export const METRICS = {
  accepted: {
    type: 'counter',
    name: 'settlement_bus_broker_messages_accepted_total',
    help: 'Messages accepted, by whether they repeat an earlier message.',
    labels: { channel: CHANNEL, repeated: ['true', 'false'] },
  },
  refused: {
    type: 'counter',
    name: 'settlement_bus_broker_messages_refused_total',
    help: 'Messages refused.',
    labels: {
      reason: [
        'not-enrolled',
        'channel-unknown',
        'topic-unknown',
        'no-right',
        'too-large',
        'schema-mismatch',
        'bad-signature',
      ],
    },
  },
  acceptedToAppended: {
    type: 'histogram',
    name: 'settlement_bus_broker_accepted_to_appended_seconds',
    help: 'Time from the acceptance of messages to their durable storage in the log.',
  },
  appendedToSent: {
    type: 'histogram',
    name: 'settlement_bus_broker_appended_to_sent_seconds',
    help: 'Time from the storage of a message to each transmission on a stream, repeats included: the lag of subscribers, including the time that they were away.',
    labels: { channel: CHANNEL },
  },
  sent: {
    type: 'counter',
    name: 'settlement_bus_broker_messages_sent_total',
    help: 'Messages sent on streams, repeats included.',
    labels: { channel: CHANNEL },
  },
  gaps: {
    type: 'counter',
    name: 'settlement_bus_broker_gaps_total',
    help: 'Times that retention removed messages before a subscriber received them.',
  },
  streams: {
    type: 'gauge',
    name: 'settlement_bus_broker_streams',
    help: 'Open streams of gateways.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the app, for docs/metrics.md. */
export const metricDefinitions: readonly MetricDefinition[] = Object.values(METRICS);
