import { NAMESPACE } from './dashboard.js';
import { field, type Panel, type Query, stat, table, timeSeries } from './panels.js';

/** The hops of an event in their order: what ends with each, and the histogram of its latency. */
const HOPS = [
  ['detect → queue', 'settlement_bridge_poller_detected_to_queued_seconds'],
  ['wait on the queue', 'settlement_bridge_publisher_queue_wait_seconds'],
  ['detect → bus', 'settlement_bridge_publisher_detected_to_published_seconds'],
  ['bus → verify', 'settlement_bridge_subscriber_published_to_verified_seconds'],
  ['verify → deliver', 'settlement_bridge_subscriber_verified_to_delivered_seconds'],
  ['detect → deliver', 'settlement_bridge_subscriber_detected_to_delivered_seconds'],
] as const;

const latency = (quantile: number, histogram: string, range: string): string =>
  `histogram_quantile(${quantile}, sum by (le) (rate(${histogram}_bucket{${NAMESPACE}}[${range}])))`;

/** One query for all hops, so that a table has a line for each. */
const latencyOfHops = (quantile: number): string =>
  HOPS.map(
    ([hop, histogram], index) =>
      `label_replace(${latency(quantile, histogram, '$__range')}, "hop", "${index + 1} ${hop}", "", "")`,
  ).join(' or ');

const rate = (metric: string, selector = ''): string =>
  `sum(rate(${metric}{${NAMESPACE}${selector}}[$__rate_interval]))`;

const EVENTS: readonly Query[] = [
  ['1 detected', rate('settlement_bridge_poller_events_detected_total')],
  ['2 queued', rate('settlement_bridge_poller_events_total')],
  ['3 published', rate('settlement_bridge_publisher_attempts_total', ', outcome="published"')],
  ['4 stored by the bus', rate('settlement_bus_broker_messages_accepted_total', ', repeated="false"')],
  ['5 verified', rate('settlement_bridge_subscriber_events_archived_total')],
  [
    '6 delivered to a sink',
    rate('settlement_bridge_subscriber_alert_attempts_total', ', outcome="delivered"'),
  ],
];

const FIGURES: readonly Panel[] = [
  stat({
    title: 'Detection to delivery, p95',
    description:
      'Within this time 95 % of the alerts of the shown time reached their sinks; an alert fires above a minute.',
    queries: [['', latency(0.95, 'settlement_bridge_subscriber_detected_to_delivered_seconds', '$__range')]],
    unit: 's',
    decimals: 2,
    thresholds: { 60: 'orange' },
    size: [3, 4],
  }),
  stat({
    title: 'Oldest event on the queue',
    description: 'How long the first event of the queue has been ready; an alert fires after two minutes.',
    queries: [['', `max(settlement_bridge_queue_oldest_waiting_seconds{${NAMESPACE}})`]],
    unit: 's',
    decimals: 0,
    thresholds: { 120: 'red' },
    size: [3, 4],
  }),
  stat({
    title: 'Dead letters',
    description: 'Events that need an operator before they can be published, and jobs without a valid HMAC.',
    queries: [
      [
        '',
        `sum(max by (namespace, release) (settlement_bridge_queue_dead_letters{${NAMESPACE}})) + sum(max by (namespace, release) (settlement_bridge_queue_unverified_dead_letters{${NAMESPACE}}))`,
      ],
    ],
    thresholds: { 1: 'red' },
    size: [3, 4],
  }),
  stat({
    title: 'Quarantined',
    description: 'Messages of the shown time that failed verification.',
    queries: [
      [
        '',
        `sum(increase(settlement_bridge_subscriber_messages_quarantined_total{${NAMESPACE}}[$__range])) or vector(0)`,
      ],
    ],
    decimals: 0,
    thresholds: { 1: 'orange' },
    size: [3, 4],
  }),
];

const CHARTS: readonly Panel[] = [
  timeSeries({
    title: 'Events at each hop',
    description: 'Events a second, heartbeats included; the curves of a healthy pipeline lie on each other.',
    queries: EVENTS,
    unit: 'eps',
    min: 0,
  }),
  timeSeries({
    title: 'Latency of each hop, p95',
    description:
      'Within this time 95 % of the events passed each hop; an alert fires above a minute to delivery.',
    queries: HOPS.map(([hop, histogram]) => [hop, latency(0.95, histogram, '$__rate_interval')] as const),
    unit: 's',
    min: 0,
  }),
  table({
    title: 'Latency of each hop',
    description: 'The median and the 95th percentile of the shown time.',
    queries: [
      ['p50', latencyOfHops(0.5)],
      ['p95', latencyOfHops(0.95)],
    ],
    unit: 's',
    decimals: 3,
    overrides: [field('hop', { unit: 'string' })],
    size: [8, 8],
  }),
  timeSeries({
    title: 'Events on the queue',
    description: 'Events by state; delayed ones wait for another attempt to publish them.',
    queries: [
      [
        '{{state}} {{namespace}} {{release}}',
        `max by (namespace, release, state) (settlement_bridge_queue_jobs{${NAMESPACE}})`,
      ],
    ],
    decimals: 0,
    min: 0,
    size: [8, 8],
  }),
  timeSeries(
    {
      title: 'Messages quarantined, jobs refused',
      description: 'Messages that failed verification and jobs without a valid HMAC, by reason.',
      queries: [
        [
          'message: {{reason}}',
          `sum by (reason) (increase(settlement_bridge_subscriber_messages_quarantined_total{${NAMESPACE}}[$__rate_interval]))`,
        ],
        [
          'job: {{reason}}',
          `sum by (reason) (increase(settlement_bridge_publisher_refused_jobs_total{${NAMESPACE}}[$__rate_interval]))`,
        ],
      ],
      decimals: 0,
      min: 0,
      noValue: 'none',
      size: [8, 8],
    },
    'bars',
  ),
];

/** What the operations dashboard shows of the pipeline. */
export const PIPELINE = { figures: FIGURES, charts: CHARTS };
