import { NAMESPACE } from './dashboard.js';
import { buildThresholds, field, type Panel, row, table, timeSeries } from './panels.js';

/** Adds the label `app`, which only settlement_bridge_app_info has. */
const WITH_APP = `* on (namespace, release, instance) group_left (app) settlement_bridge_app_info{${NAMESPACE}}`;
const CERTIFICATES = [
  'settlement_bridge_poller_certificate',
  'settlement_bridge_publisher_certificate',
  'settlement_bridge_subscriber_certificate',
  'settlement_bus_gateway_certificate',
  'settlement_bus_gateway_server_certificate',
  'settlement_bridge_management_server_certificate',
  'settlement_bridge_token_server_certificate',
  'settlement_bridge_reporting_server_certificate',
];

/** What the operations dashboard shows of each process. */
export const PROCESS_PANELS: readonly Panel[] = [
  row('Processes'),
  table(
    {
      title: 'Checks that are down',
      description: 'The readiness checks that fail now.',
      queries: [['Up', `(settlement_bridge_readiness_check_up{${NAMESPACE}} == 0) ${WITH_APP}`]],
      noValue: 'all checks are up',
      size: [8, 8],
    },
    ['job', 'Value'],
  ),
  table(
    {
      title: 'Certificates',
      description: 'Days until each certificate expires; an alert fires below 14 days.',
      queries: [
        [
          'Days',
          `sort(label_replace({__name__=~"(${CERTIFICATES.join('|')})_days_left", ${NAMESPACE}}, "certificate", "$1", "__name__", "settlement_(?:bridge|bus)_(.+)_certificate_days_left"))`,
        ],
      ],
      decimals: 0,
      overrides: [
        field('Days', {
          unit: 'd',
          thresholds: buildThresholds({ 14: 'green' }, 'orange'),
          'custom.cellOptions': { type: 'color-text' },
        }),
      ],
      noValue: 'no certificate',
      size: [8, 8],
    },
    ['job', 'instance'],
  ),
  timeSeries({
    title: 'Clock offset',
    description: 'The clock of each app against others; an alert fires beyond 30 seconds.',
    queries: [['{{app}} to {{source}}', `settlement_bridge_clock_offset_seconds{${NAMESPACE}} ${WITH_APP}`]],
    unit: 's',
    size: [8, 8],
  }),
  timeSeries({
    title: 'Memory',
    description: 'Resident memory of each process.',
    queries: [['{{app}} {{instance}}', `process_resident_memory_bytes{${NAMESPACE}} ${WITH_APP}`]],
    unit: 'bytes',
    min: 0,
    size: [8, 8],
  }),
  timeSeries({
    title: 'CPU',
    description: 'Cores that each process uses.',
    queries: [
      ['{{app}} {{instance}}', `rate(process_cpu_seconds_total{${NAMESPACE}}[$__rate_interval]) ${WITH_APP}`],
    ],
    min: 0,
    size: [8, 8],
  }),
  timeSeries({
    title: 'Delay of the event loop, p99',
    description: 'How long work waits for the event loop of each process.',
    queries: [['{{app}} {{instance}}', `nodejs_eventloop_lag_p99_seconds{${NAMESPACE}} ${WITH_APP}`]],
    unit: 's',
    min: 0,
    size: [8, 8],
  }),
  timeSeries({
    title: 'Storage used',
    description:
      'Share of the data folders of gateways and of the memory of Redis; alerts fire at 90 % and 85 %.',
    queries: [
      [
        '{{app}} {{instance}}',
        `(1 - settlement_bridge_data_folder_free_bytes{${NAMESPACE}} / settlement_bridge_data_folder_size_bytes{${NAMESPACE}}) ${WITH_APP}`,
      ],
      [
        'Redis {{namespace}} {{release}}',
        `max by (namespace, release) (settlement_bridge_queue_redis_memory_used_bytes{${NAMESPACE}} / settlement_bridge_queue_redis_memory_limit_bytes{${NAMESPACE}})`,
      ],
    ],
    unit: 'percentunit',
    min: 0,
    size: [24, 6],
  }),
];
