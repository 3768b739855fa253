import type { CounterDefinition, GaugeDefinition, MetricDefinition } from './metric-definitions.js';

const CHECK = 'names of the checks that the app registers';
const OUTCOME = ['applied', 'refused'] as const;

const BUS_APPS: readonly string[] = ['gateway', 'broker'];

/** The full name of a metric of one app: the prefix says whether it belongs to the bus or to the bridge and its sandbox. */
function metricName(app: string, name: string): string {
  return `${BUS_APPS.includes(app) ? 'settlement_bus' : 'settlement_bridge'}_${app}_${name}`;
}

/** Metrics of the platform itself. */
export const PLATFORM_METRICS = {
  info: {
    type: 'gauge',
    name: 'settlement_bridge_app_info',
    help: 'Always 1; the labels name the running app, its version and its Node.js.',
    labels: { app: 'one', version: 'one', node: 'one' },
  },
  ready: {
    type: 'gauge',
    name: 'settlement_bridge_readiness_check_up',
    help: '1 while the check of /health/ready is up, 0 while it is down; the checks run at each scrape.',
    labels: { check: CHECK },
  },
  live: {
    type: 'gauge',
    name: 'settlement_bridge_liveness_check_up',
    help: '1 while the check of /health/live is up, 0 while a restart is needed.',
    labels: { check: CHECK },
  },
} as const satisfies Record<string, MetricDefinition>;

/** @param app its name, or `management` for the management port of any app */
export function serverTlsMetrics(app: string): {
  readonly daysLeft: GaugeDefinition<never>;
  readonly reloads: CounterDefinition<'outcome'>;
} {
  return {
    daysLeft: {
      type: 'gauge',
      name: metricName(app, 'server_certificate_days_left'),
      help: 'Time until the server certificate expires; negative afterwards, absent without HTTPS.',
    },
    reloads: {
      type: 'counter',
      name: metricName(app, 'tls_reloads_total'),
      help: 'Changes of the TLS files; absent without HTTPS.',
      labels: { outcome: OUTCOME },
    },
  };
}

export interface ClientTlsMetricOptions {
  /** The services that the app connects to. */
  readonly interfaces?: readonly string[];
  /** Whether the connections belong to participants. */
  readonly hasParticipants?: boolean;
}

/** @param app its name */
export function clientTlsMetrics(
  app: string,
  { interfaces = [], hasParticipants = false }: ClientTlsMetricOptions,
): {
  readonly daysLeft: GaugeDefinition<'interface' | 'participant'>;
  readonly reloads: CounterDefinition<'interface' | 'participant' | 'outcome'>;
} {
  const labels = {
    interface: interfaces,
    ...(hasParticipants && { participant: 'PARTICIPANT; absent for connections of the whole app' }),
  } as Record<'interface' | 'participant', readonly string[] | string>;
  return {
    daysLeft: {
      type: 'gauge',
      name: metricName(app, 'certificate_days_left'),
      help: 'Time until the client certificate of an interface expires; negative afterwards, absent without one.',
      labels,
    },
    reloads: {
      type: 'counter',
      name: metricName(app, 'certificate_reloads_total'),
      help: 'Changed certificate files of an interface.',
      labels: { ...labels, outcome: OUTCOME },
    },
  };
}

/** Metrics of the folder in which an app keeps its files. */
export const DATA_FOLDER_METRICS = {
  free: {
    type: 'gauge',
    name: 'settlement_bridge_data_folder_free_bytes',
    help: 'Space that the app can still use in the file system of its data folder.',
  },
  size: {
    type: 'gauge',
    name: 'settlement_bridge_data_folder_size_bytes',
    help: 'Size of the file system of the data folder.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Metrics of every app. prom-client adds those of the process. */
export const COMMON_METRICS: readonly MetricDefinition[] = [
  ...Object.values(PLATFORM_METRICS),
  ...Object.values(serverTlsMetrics('management')),
];
