import { COMMON_METRICS, LATENCY_BUCKETS, Metrics, type MetricDefinition } from '@ssb/platform';
import { z } from 'zod';

export interface AppMetrics {
  readonly name: string;
  readonly metricDefinitions: readonly MetricDefinition[];
}

const HEAD = `# Metrics

<!-- Written by npm run docs from each app's metrics.ts; CI fails when it is out of date. -->

Every app serves \`GET /metrics\` in the Prometheus text format on its [management port](operate/monitoring.md), and nowhere else. Units are in the
names: seconds, bytes, days and AUD.

| | |
| --- | --- |
| buckets of each histogram, seconds | ${LATENCY_BUCKETS.join(', ')} |
| \`business\` | amounts and publications of participants; absent with \`METRICS_BUSINESS=false\` of the poller |
| labels | each has the values below or a bound; \`other\` stands for the rest |
| replicas | what only one replica knows is absent at the others: of the lease, of the reader, of a term |

A latency ends later than it began by two clocks. Where these belong to two machines, [their offset](operate/clocks.md#clock-offset) is part of it, and a
negative one counts as 0.`;

/** A Markdown page with every metric: those of all apps, those of several, and those of each app. */
export function renderMetricsPage(apps: readonly AppMetrics[]): string {
  const shared = mergeByName(apps).filter((metric) => metric.apps.length > 1);
  const sharedNames = new Set(shared.map(({ name }) => name));
  const own = apps.flatMap(({ name, metricDefinitions }) => {
    const definitions = metricDefinitions.filter((metric) => !sharedNames.has(metric.name));
    return definitions.length === 0 ? [] : `## ${name}\n\n${renderTable(definitions)}`;
  });
  return [
    HEAD,
    `## Every app\n\n${renderTable([...COMMON_METRICS, ...listProcessMetrics()])}`,
    `## Several apps\n\n${renderTable(shared)}`,
    ...own,
  ].join('\n\n');
}

/** Every metric that the page has for an app. */
export function listMetrics({ metricDefinitions }: AppMetrics): MetricDefinition[] {
  return [...COMMON_METRICS, ...listProcessMetrics(), ...metricDefinitions];
}

/** Names of every metric that the page has for an app. */
export function listMetricNames(app: AppMetrics): string[] {
  return listMetrics(app).map(({ name }) => name);
}

interface SharedMetric extends Omit<MetricDefinition, 'labels'> {
  readonly apps: string[];
  readonly labels: Record<string, readonly string[] | string>;
}

type PageMetric = MetricDefinition & { readonly apps?: readonly string[] };

function mergeByName(apps: readonly AppMetrics[]): (PageMetric & { readonly apps: readonly string[] })[] {
  const merged = new Map<string, SharedMetric>();
  for (const { name: app, metricDefinitions } of apps)
    for (const { labels = {}, ...metric } of metricDefinitions) {
      const known: SharedMetric = merged.get(metric.name) ?? { ...metric, labels: {}, apps: [] };
      merged.set(metric.name, known);
      known.apps.push(app);
      for (const [label, values] of Object.entries(labels)) {
        const before = known.labels[label];
        known.labels[label] = Array.isArray(before) && Array.isArray(values) ? union(before, values) : values;
      }
    }
  return [...merged.values()] as (PageMetric & { readonly apps: readonly string[] })[];
}

function union(left: readonly string[], right: readonly string[]): string[] {
  return [...new Set([...left, ...right])];
}

/** The types of prom-client lack the labels of a metric. */
const processMetric = z.looseObject({
  name: z.string(),
  help: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram']),
  labelNames: z.array(z.string()).default([]),
});

/** What prom-client adds. */
function listProcessMetrics(): MetricDefinition[] {
  return new Metrics().registry.getMetricsAsArray().map((metric) => {
    const { name, help, type, labelNames } = processMetric.parse(metric);
    return { type, name, help, labels: Object.fromEntries(labelNames.map((label) => [label, 'of Node.js'])) };
  });
}

function renderTable(metrics: readonly PageMetric[]): string {
  const showsApps = metrics.some(({ apps }) => apps !== undefined);
  const rows = metrics.map((metric) => {
    const type = 'business' in metric ? `${metric.type}, business` : metric.type;
    const cells = [`\`${metric.name}\``, type, renderLabels(metric.labels), metric.help];
    if (showsApps) cells.splice(1, 0, (metric.apps ?? []).join(', '));
    return renderRow(cells);
  });
  const heads = showsApps
    ? ['metric', 'apps', 'type', 'labels', 'meaning']
    : ['metric', 'type', 'labels', 'meaning'];
  return [renderRow(heads), renderRow(heads.map(() => '---')), ...rows].join('\n');
}

function renderLabels(labels: MetricDefinition['labels'] = {}): string {
  return Object.entries(labels)
    .map(([name, values]) => `\`${name}\`: ${typeof values === 'string' ? values : values.join(', ')}`)
    .join('; ');
}

function renderRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
