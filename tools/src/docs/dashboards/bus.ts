import { type DashboardDescription, NAMESPACE } from './dashboard.js';
import { stat, timeSeries } from './panels.js';

const CHANNEL = `${NAMESPACE}, channel=~"$channel"`;

/** Channels have long names; their first part differs. */
const shorten = (query: string): string =>
  `label_replace(${query}, "channel", "$1", "channel", "(.+?)\\\\.channels\\\\..+")`;
const rate = (metric: string, selector: string, by: string): string =>
  `sum by (${by}) (rate(${metric}{${selector}}[$__rate_interval]))`;
const lag = (quantile: number): string =>
  shorten(
    `histogram_quantile(${quantile}, sum by (channel, le) (rate(settlement_bus_broker_appended_to_sent_seconds_bucket{${CHANNEL}}[$__rate_interval])))`,
  );
const p95 = (histogram: string): string =>
  `histogram_quantile(0.95, sum by (le) (rate(${histogram}_bucket{${NAMESPACE}}[$__rate_interval])))`;
const inRange = (metric: string): string => `sum(increase(${metric}{${NAMESPACE}}[$__range]))`;

export const BUS: DashboardDescription = {
  uid: 'settlement-bus-bridge-bus',
  title: 'Settlement bus bridge: bus',
  description:
    'Channels, lag, gateways and their clients. Panels of the broker are empty with a broker of another vendor.',
  variables: [['channel', 'Channel', 'settlement_bus_broker_messages_sent_total']],
  panels: [
    stat({
      title: 'Gateways without a broker',
      description: 'Gateways whose stream to the broker is not connected; an alert fires after five minutes.',
      queries: [
        ['', `count(settlement_bus_gateway_broker_stream_connected{${NAMESPACE}} == 0) or vector(0)`],
      ],
      thresholds: { 1: 'orange' },
    }),
    stat({
      title: 'Gateways not enrolled',
      description: 'Gateways whose identity did not hold the user role at the last check.',
      queries: [['', `count(settlement_bus_gateway_enrolled{${NAMESPACE}} == 0) or vector(0)`]],
      thresholds: { 1: 'red' },
    }),
    stat({
      title: 'Lag, p95',
      description:
        'Within this time 95 % of the messages of the shown time were sent to a gateway after their storage.',
      queries: [
        [
          '',
          `histogram_quantile(0.95, sum by (le) (rate(settlement_bus_broker_appended_to_sent_seconds_bucket{${CHANNEL}}[$__range])))`,
        ],
      ],
      unit: 's',
      decimals: 3,
      thresholds: { 60: 'orange' },
    }),
    stat({
      title: 'Messages lost',
      description: 'Times in the shown period that messages were removed before a reader received them.',
      queries: [
        ['at the broker', inRange('settlement_bus_broker_gaps_total')],
        ['at the subscriber', inRange('settlement_bridge_subscriber_gaps_total')],
      ],
      decimals: 0,
      thresholds: { 1: 'red' },
    }),
    stat({
      title: 'Messages refused',
      description: 'Messages of the shown time that the broker refused.',
      queries: [['', `${inRange('settlement_bus_broker_messages_refused_total')} or vector(0)`]],
      decimals: 0,
      thresholds: { 1: 'orange' },
    }),
    stat({
      title: 'Logins refused',
      description: 'Requests of the shown time with a wrong user name or password, or while too many waited.',
      queries: [['', `${inRange('settlement_bus_gateway_logins_refused_total')} or vector(0)`]],
      decimals: 0,
      thresholds: { 1: 'orange' },
    }),
    timeSeries({
      title: 'Messages accepted',
      description: 'Messages a second that the broker stored, without repeats.',
      queries: [
        [
          '{{channel}}',
          shorten(
            rate('settlement_bus_broker_messages_accepted_total', `${CHANNEL}, repeated="false"`, 'channel'),
          ),
        ],
      ],
      unit: 'mps',
      min: 0,
    }),
    timeSeries({
      title: 'Messages sent',
      description: 'Messages a second that the broker sent on streams, repeats included.',
      queries: [
        ['{{channel}}', shorten(rate('settlement_bus_broker_messages_sent_total', CHANNEL, 'channel'))],
      ],
      unit: 'mps',
      min: 0,
    }),
    timeSeries({
      title: 'Lag of the readers',
      description:
        'Time from the storage of a message to its first transmission, including the time that a reader was away.',
      queries: [
        ['p50 {{channel}}', lag(0.5)],
        ['p95 {{channel}}', lag(0.95)],
      ],
      unit: 's',
      min: 0,
    }),
    timeSeries({
      title: 'Time to accept messages, p95',
      description: 'How long a gateway waits for the broker, and the broker for its log.',
      queries: [
        ['request of a gateway to the broker', p95('settlement_bus_gateway_broker_post_seconds')],
        ['storage in the log', p95('settlement_bus_broker_accepted_to_appended_seconds')],
      ],
      unit: 's',
      min: 0,
    }),
    timeSeries(
      {
        title: 'Messages refused by the broker',
        description: 'Refused messages by reason.',
        queries: [
          [
            '{{reason}}',
            `sum by (reason) (increase(settlement_bus_broker_messages_refused_total{${NAMESPACE}}[$__rate_interval]))`,
          ],
        ],
        decimals: 0,
        min: 0,
        noValue: 'none',
        size: [8, 7],
      },
      'bars',
    ),
    timeSeries(
      {
        title: 'Messages that gateways could not send',
        description: 'Failed messages of clients by error code.',
        queries: [
          [
            '{{outcome}}',
            `sum by (outcome) (increase(settlement_bus_gateway_messages_sent_total{${NAMESPACE}, outcome!="sent"}[$__rate_interval]))`,
          ],
        ],
        decimals: 0,
        min: 0,
        noValue: 'none',
        size: [8, 7],
      },
      'bars',
    ),
    timeSeries(
      {
        title: 'Logins refused, gaps',
        description:
          'Refused logins by reason, and times that messages were removed before a reader received them.',
        queries: [
          [
            'login {{reason}}',
            `sum by (reason) (increase(settlement_bus_gateway_logins_refused_total{${NAMESPACE}}[$__rate_interval]))`,
          ],
          ['gap', `sum(increase(settlement_bus_broker_gaps_total{${NAMESPACE}}[$__rate_interval]))`],
        ],
        decimals: 0,
        min: 0,
        noValue: 'none',
        size: [8, 7],
      },
      'bars',
    ),
    timeSeries(
      {
        title: 'Streams and clients',
        description: 'Open streams of gateways at the broker, and WebSocket clients of the gateways.',
        queries: [
          ['streams at the broker', `sum(settlement_bus_broker_streams{${NAMESPACE}})`],
          ['WebSocket clients', `sum(settlement_bus_gateway_events_clients{${NAMESPACE}})`],
        ],
        decimals: 0,
        min: 0,
        size: [8, 7],
      },
      'steps',
    ),
    timeSeries({
      title: 'Messages waiting at gateways',
      description: 'Messages that are not yet in a request to the broker.',
      queries: [['{{instance}}', `settlement_bus_gateway_messages_waiting{${NAMESPACE}}`]],
      decimals: 0,
      min: 0,
      size: [8, 7],
    }),
    timeSeries({
      title: 'Messages delivered to clients',
      description: 'Messages a second on WebSockets, repeats included.',
      queries: [
        ['{{instance}}', rate('settlement_bus_gateway_messages_delivered_total', NAMESPACE, 'instance')],
      ],
      unit: 'mps',
      min: 0,
      size: [8, 7],
    }),
  ],
};
