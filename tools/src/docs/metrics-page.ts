import { COMMON_METRICS, LATENCY_BUCKETS, Metrics, type MetricDefinition } from '@ssb/platform';
import { z } from 'zod';
import { code, renderList } from './markdown.js';

export interface AppMetrics {
  readonly name: string;
  readonly metricDefinitions: readonly MetricDefinition[];
}

/** Every metric: those of all apps, those of several, and those of each app. */
export function renderMetricsPage(apps: readonly AppMetrics[]): string {
  const shared = mergeByName(apps).filter((metric) => metric.apps.length > 1);
  const sharedNames = new Set(shared.map(({ name }) => name));
  const own = apps.flatMap(({ name, metricDefinitions }) => {
    const definitions = metricDefinitions.filter((metric) => !sharedNames.has(metric.name));
    return definitions.length === 0 ? [] : `## ${name}\n\n${renderList(definitions.map(renderMetric))}`;
  });
  const processMetrics = listProcessMetrics().map(({ name }) => code(name));
  return [
    `Histograms have the buckets ${LATENCY_BUCKETS.join(', ')} s.`,
    `## Every app\n\n${renderList(COMMON_METRICS.map(renderMetric))}`,
    `And those of the process, from prom-client: ${processMetrics.join(', ')}.`,
    `## Several apps\n\n${renderList(shared.map(renderMetric))}`,
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

function renderMetric(metric: PageMetric): string {
  const { name, type, labels = {}, help, apps } = metric;
  const kind = [type, ...('business' in metric ? ['business'] : [])].join(', ');
  const users = apps === undefined ? '' : ` in ${apps.join(', ')}`;
  const described = Object.entries(labels).map(
    ([label, values]) => `${code(label)}: ${typeof values === 'string' ? values : values.join(', ')}`,
  );
  return `${code(name)} (${kind}${users}): ${help}${described.length === 0 ? '' : ` Labels: ${described.join('; ')}.`}`;
}
