import { type DashboardDescription, NAMESPACE } from './dashboard.js';
import { PIPELINE } from './pipeline-panels.js';
import { row, stat, stateTimeline, timeSeries } from './panels.js';
import { PROCESS_PANELS } from './process-panels.js';

const PARTICIPANT = `${NAMESPACE}, participant=~"$participant"`;
const ON_OFF = [
  [0, 'no', 'text'],
  [1, 'yes', 'green'],
] as const;

export const OPERATIONS: DashboardDescription = {
  uid: 'settlement-bus-bridge-operations',
  title: 'Settlement bus bridge: operations',
  description: 'The pipeline from detection to delivery, its queue and sinks, and the processes.',
  variables: [['participant', 'Participant', 'settlement_bridge_poller_leader']],
  panels: [
    stat({
      title: 'Checks that are down',
      description: 'Readiness checks that fail now, of all apps.',
      queries: [['', `count(settlement_bridge_readiness_check_up{${NAMESPACE}} == 0) or vector(0)`]],
      thresholds: { 1: 'orange' },
      size: [3, 4],
    }),
    stat({
      title: 'Faults active',
      description: 'Faults that the bridge reports now (docs/alerts.md lists them).',
      queries: [
        [
          '',
          `count(max by (namespace, release, reason, participant, channel) (settlement_bridge_fault_active{${NAMESPACE}}) == 1) or vector(0)`,
        ],
      ],
      thresholds: { 1: 'orange' },
      size: [3, 4],
    }),
    stat({
      title: 'Age of the heartbeat',
      description:
        'The greatest age of the newest heartbeats of all participants and channels; an alert fires after three minutes.',
      queries: [['', `max(settlement_bridge_subscriber_heartbeat_age_seconds{${PARTICIPANT}})`]],
      unit: 's',
      decimals: 0,
      thresholds: { 180: 'red' },
      size: [3, 4],
    }),
    ...PIPELINE.figures,
    stat({
      title: 'Oldest alert waiting',
      description: 'Age of the oldest alert that its sink has not accepted; an alert fires after 15 minutes.',
      queries: [['', `max(settlement_bridge_subscriber_alert_oldest_pending_seconds{${NAMESPACE}})`]],
      unit: 's',
      decimals: 0,
      thresholds: { 900: 'orange' },
      size: [3, 4],
    }),
    ...PIPELINE.charts,

    row('Sinks'),
    timeSeries({
      title: 'Alerts not delivered yet',
      description: 'Alerts in the outbox of each sink.',
      queries: [
        [
          '{{sink}} {{namespace}} {{release}}',
          `max by (namespace, release, sink) (settlement_bridge_subscriber_alert_outbox_depth{${NAMESPACE}})`,
        ],
      ],
      decimals: 0,
      min: 0,
      size: [8, 7],
    }),
    timeSeries({
      title: 'Age of the oldest alert',
      description: 'How long the oldest alert of each sink has waited.',
      queries: [
        [
          '{{sink}} {{namespace}} {{release}}',
          `max by (namespace, release, sink) (settlement_bridge_subscriber_alert_oldest_pending_seconds{${NAMESPACE}})`,
        ],
      ],
      unit: 's',
      min: 0,
      size: [8, 7],
    }),
    timeSeries(
      {
        title: 'Attempts to deliver',
        description: 'Attempts of all sinks by their outcome.',
        queries: [
          [
            '{{sink}} {{outcome}}',
            `sum by (sink, outcome) (increase(settlement_bridge_subscriber_alert_attempts_total{${NAMESPACE}}[$__rate_interval]))`,
          ],
        ],
        decimals: 0,
        min: 0,
        size: [8, 7],
      },
      'bars',
    ),

    row('Which replicas work, and what is wrong'),
    stateTimeline({
      title: 'Lease of the poller, reader of the channels',
      description:
        'Of each participant one poller holds the lease, and of the subscribers one reads the channels.',
      queries: [
        ['poller {{participant}} {{instance}}', `settlement_bridge_poller_leader{${PARTICIPANT}}`],
        ['subscriber {{instance}}', `settlement_bridge_subscriber_reader{${NAMESPACE}}`],
      ],
      states: ON_OFF,
      size: [12, 6],
    }),
    stateTimeline({
      title: 'Faults',
      description: 'When each fault began and ended; only faults of the shown time appear.',
      queries: [
        [
          '{{reason}} {{participant}} {{channel}}',
          `max by (reason, participant, channel) (settlement_bridge_fault_active{${NAMESPACE}}) == 1`,
        ],
      ],
      states: [[1, 'active', 'red']],
      noValue: 'no fault',
      size: [12, 6],
    }),

    row('Operator'),
    timeSeries({
      title: 'Request budget used',
      description: 'Share of the requests that the operator allows in a window; at 100 % requests wait.',
      queries: [
        [
          '{{interface}} {{window}} {{namespace}} {{release}}',
          `max by (namespace, release, participant, interface, window) (settlement_bridge_poller_request_budget_used{${PARTICIPANT}}) / max by (namespace, release, participant, interface, window) (settlement_bridge_poller_request_budget_limit{${PARTICIPANT}})`,
        ],
      ],
      unit: 'percentunit',
      min: 0,
      size: [8, 7],
    }),
    timeSeries({
      title: 'Time since the last successful poll',
      description: 'How long ago a poll of each interface last succeeded; an alert fires after five minutes.',
      queries: [
        [
          '{{participant}} {{poll}} {{namespace}} {{release}}',
          `time() - max by (namespace, release, participant, poll) (settlement_bridge_poller_last_success_timestamp_seconds{${PARTICIPANT}})`,
        ],
      ],
      unit: 's',
      min: 0,
      size: [8, 7],
    }),
    timeSeries(
      {
        title: 'Failed polls',
        description: 'Failures of polls and of the lease, by the class of the error.',
        queries: [
          [
            '{{poll}} {{kind}}',
            `sum by (poll, kind) (increase(settlement_bridge_poller_failures_total{${PARTICIPANT}}[$__rate_interval]))`,
          ],
        ],
        decimals: 0,
        min: 0,
        noValue: 'no failure',
        size: [8, 7],
      },
      'bars',
    ),
    timeSeries(
      {
        title: 'Unreadable parts of answers',
        description:
          'Calculations, cycles, statements, invoices and estimations that could not be used; the log has their paths.',
        queries: [
          [
            '{{resource}}',
            `sum by (resource) (increase(settlement_bridge_poller_unreadable_total{${NAMESPACE}}[$__rate_interval]))`,
          ],
        ],
        decimals: 0,
        min: 0,
        noValue: 'none',
        size: [12, 7],
      },
      'bars',
    ),
    timeSeries(
      {
        title: 'Requests for statements and invoices',
        description: 'Requests by resource and answer; not-yet is what the operator has not published.',
        queries: [
          [
            '{{resource}} {{answer}}',
            `sum by (resource, answer) (increase(settlement_bridge_poller_fetches_total{${NAMESPACE}}[$__rate_interval]))`,
          ],
        ],
        decimals: 0,
        min: 0,
        size: [12, 7],
      },
      'bars',
    ),

    ...PROCESS_PANELS,
  ],
};
