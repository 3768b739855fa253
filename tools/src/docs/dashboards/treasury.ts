import { type DashboardDescription, NAMESPACE } from './dashboard.js';
import { field, stateTimeline, stat, table, timeSeries } from './panels.js';

const SELECTOR = 'namespace=~"$namespace", release=~"$release", participant=~"$participant"';
const BY = 'by (namespace, release, participant)';
const NAME = '{{participant}} {{namespace}} {{release}}';

/** Australian dollars in full, as treasurers write them. */
const AUD = { unit: 'currency:financial:A$', decimals: 0 };

/** Two replicas report a margin for a moment when the lease changes hands; the lower one counts. */
const MARGIN = `min ${BY} (settlement_bridge_poller_trading_margin_aud{${SELECTOR}})`;
const threshold = (level: string): string =>
  `max ${BY} (settlement_bridge_poller_margin_threshold_aud{${SELECTOR}, level="${level}"})`;
/** 0 OK, 1 warning, 2 breached. */
const LEVEL = `max ${BY} (settlement_bridge_poller_margin_level{${SELECTOR}, level="WARNING"} + on (namespace, release, participant, instance) 2 * settlement_bridge_poller_margin_level{${SELECTOR}, level="BREACHED"})`;
const LEVELS = [
  [0, 'OK', 'green'],
  [1, 'Warning', 'orange'],
  [2, 'Breached', 'red'],
] as const;
const CALCULATION_AGE = `time() - max ${BY} (settlement_bridge_poller_last_calculation_timestamp_seconds{${SELECTOR}})`;
const publications = (state: string): string =>
  `max by (namespace, release, participant, document) (settlement_bridge_poller_publications{${SELECTOR}, state="${state}"})`;
const DELIVERED = `settlement_bridge_subscriber_alert_attempts_total{${NAMESPACE}, outcome="delivered"}`;

const dashedLine = (color: string): Readonly<Record<string, unknown>> => ({
  color: { mode: 'fixed', fixedColor: color },
  'custom.lineStyle': { fill: 'dash', dash: [10, 8] },
});

export const TREASURY: DashboardDescription = {
  uid: 'settlement-bus-bridge-treasury',
  title: 'Settlement bus bridge: treasury',
  description: 'Trading margin, publications and alerts of each participant.',
  variables: [['participant', 'Participant', 'settlement_bridge_poller_leader']],
  panels: [
    stat({
      title: 'Margin level now',
      description: 'The level of the latest calculation, with the hysteresis of the configuration.',
      queries: [[NAME, LEVEL]],
      states: LEVELS,
      noValue: 'no calculation',
    }),
    stat({
      title: 'Trading margin',
      description: 'The trading margin of the latest calculation.',
      queries: [[NAME, MARGIN]],
      ...AUD,
      base: 'blue',
    }),
    stat({
      title: 'Above the breach threshold',
      description: 'How far the trading margin may fall before it is breached; negative below the threshold.',
      queries: [[NAME, `${MARGIN} - ${threshold('BREACHED')}`]],
      ...AUD,
      base: 'red',
      thresholds: { 0: 'green' },
    }),
    stat({
      title: 'Outstanding amount',
      description: 'The outstanding amount of the latest calculation.',
      queries: [[NAME, `max ${BY} (settlement_bridge_poller_outstanding_amount_aud{${SELECTOR}})`]],
      ...AUD,
      base: 'blue',
      noValue: 'none',
    }),
    stat({
      title: 'Age of the calculation',
      description: 'How long ago the operator made the latest calculation; an alert fires after 26 hours.',
      queries: [[NAME, CALCULATION_AGE]],
      unit: 's',
      decimals: 0,
      thresholds: { [26 * 3_600]: 'orange' },
    }),
    stat({
      title: 'Documents due',
      description:
        'Statements and invoices that have passed their time in the timeline and are not published.',
      queries: [[NAME, `sum ${BY} (${publications('due')})`]],
      decimals: 0,
      thresholds: { 1: 'orange' },
    }),
    timeSeries(
      {
        title: 'Trading margin and its thresholds',
        description: 'The trading margin with the levels below which a warning and a breach are reported.',
        queries: [
          [NAME, MARGIN],
          [`Warning ${NAME}`, threshold('WARNING')],
          [`Breach ${NAME}`, threshold('BREACHED')],
        ],
        ...AUD,
        overrides: [field('/^Warning /', dashedLine('orange')), field('/^Breach /', dashedLine('red'))],
        size: [24, 11],
      },
      'steps',
    ),
    stateTimeline({
      title: 'Margin level',
      description: 'When each level began and ended.',
      queries: [[NAME, LEVEL]],
      states: LEVELS,
      size: [24, 4],
    }),
    timeSeries(
      {
        title: 'Outstanding amount',
        description: 'The outstanding amount of each calculation.',
        queries: [[NAME, `max ${BY} (settlement_bridge_poller_outstanding_amount_aud{${SELECTOR}})`]],
        ...AUD,
        size: [8, 8],
      },
      'steps',
    ),
    timeSeries(
      {
        title: 'Statements and invoices published',
        description: 'How many documents of the timeline window are published.',
        queries: [[`{{document}} ${NAME}`, publications('published')]],
        decimals: 0,
        min: 0,
        size: [8, 8],
      },
      'steps',
    ),
    timeSeries(
      {
        title: 'Statements and invoices due',
        description:
          'How many documents have reached their day and are not published; an alert fires after a day.',
        queries: [[`{{document}} ${NAME}`, publications('due')]],
        decimals: 0,
        min: 0,
        size: [8, 8],
      },
      'steps',
    ),
    timeSeries(
      {
        title: 'Events verified',
        description:
          'Facts that were verified and archived, by type; position.calculated counts each calculation.',
        queries: [
          [
            '{{type}}',
            `label_replace(sum by (type) (increase(settlement_bridge_subscriber_events_archived_total{${NAMESPACE}, type!~".*bridge.*"}[$__rate_interval])), "type", "$1", "type", "settlementbus\\\\.(.+)\\\\.v[0-9]+")`,
          ],
        ],
        decimals: 0,
        min: 0,
        size: [8, 8],
      },
      'bars',
    ),
    timeSeries(
      {
        title: 'Alerts delivered',
        description: 'Deliveries that each sink accepted.',
        queries: [
          [
            '{{sink}} {{namespace}} {{release}}',
            `sum by (namespace, release, sink) (increase(${DELIVERED}[$__rate_interval]))`,
          ],
        ],
        decimals: 0,
        min: 0,
        size: [8, 8],
      },
      'bars',
    ),
    table({
      title: 'Delivery of alerts',
      description: 'Deliveries of the shown time, and what waits now.',
      queries: [
        ['Delivered', `sum by (namespace, release, sink) (increase(${DELIVERED}[$__range]))`],
        [
          '95 % within',
          `histogram_quantile(0.95, sum by (namespace, release, sink, le) (rate(settlement_bridge_subscriber_detected_to_delivered_seconds_bucket{${NAMESPACE}}[$__range])))`,
        ],
        [
          'Waiting',
          `max by (namespace, release, sink) (settlement_bridge_subscriber_alert_outbox_depth{${NAMESPACE}})`,
        ],
        [
          'Oldest',
          `max by (namespace, release, sink) (settlement_bridge_subscriber_alert_oldest_pending_seconds{${NAMESPACE}})`,
        ],
      ],
      decimals: 0,
      overrides: [
        field('95 % within', { unit: 's', decimals: 2 }),
        field('Oldest', {
          unit: 's',
          thresholds: {
            mode: 'absolute',
            steps: [
              { color: 'green', value: null },
              { color: 'orange', value: 900 },
            ],
          },
          'custom.cellOptions': { type: 'color-text' },
        }),
      ],
      size: [8, 8],
    }),
  ],
};
