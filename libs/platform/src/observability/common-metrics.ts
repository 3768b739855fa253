import type { CounterDefinition, GaugeDefinition, MetricDefinition } from './metric-definitions.js';

const CHECK = 'names of the checks that the app registers';
const OUTCOME = ['applied', 'refused'] as const;

/** Metrics of the platform itself. */
export const PLATFORM_METRICS = {
  info: {
    type: 'gauge',
    name: 'app_info',
    help: 'Always 1; the labels name the running app, its version and its Node.js.',
    labels: { app: 'one', version: 'one', node: 'one' },
  },
  ready: {
    type: 'gauge',
    name: 'readiness_check_up',
    help: '1 while the check of /health/ready is up, 0 while it is down; the checks run at each scrape.',
    labels: { check: CHECK },
  },
  live: {
    type: 'gauge',
    name: 'liveness_check_up',
    help: '1 while the check of /health/live is up, 0 while a restart is needed.',
    labels: { check: CHECK },
  },
} as const satisfies Record<string, MetricDefinition>;

/** @param prefix the name of the app, or `management` for its management port */
export function serverTlsMetrics(prefix: string): {
  readonly daysLeft: GaugeDefinition<never>;
  readonly reloads: CounterDefinition<'outcome'>;
} {
  return {
    daysLeft: {
      type: 'gauge',
      name: `${prefix}_server_certificate_days_left`,
      help: 'Time until the server certificate expires; negative afterwards, absent without HTTPS.',
    },
    reloads: {
      type: 'counter',
      name: `${prefix}_tls_reloads_total`,
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

/** @param prefix the name of the app */
export function clientTlsMetrics(
  prefix: string,
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
      name: `${prefix}_certificate_days_left`,
      help: 'Time until the client certificate of an interface expires; negative afterwards, absent without one.',
      labels,
    },
    reloads: {
      type: 'counter',
      name: `${prefix}_certificate_reloads_total`,
      help: 'Changed certificate files of an interface.',
      labels: { ...labels, outcome: OUTCOME },
    },
  };
}

/** Metrics of the folder in which an app keeps its files. */
export const DATA_FOLDER_METRICS = {
  free: {
    type: 'gauge',
    name: 'data_folder_free_bytes',
    help: 'Space that the app can still use in the file system of its data folder.',
  },
  size: {
    type: 'gauge',
    name: 'data_folder_size_bytes',
    help: 'Size of the file system of the data folder.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Metrics of every app. prom-client adds those of the process. */
export const COMMON_METRICS: readonly MetricDefinition[] = [
  ...Object.values(PLATFORM_METRICS),
  ...Object.values(serverTlsMetrics('management')),
];
