import { ALERT_REASON_NAMES } from '@ssb/events';
import type { MetricDefinition } from '@ssb/platform';
import { type AppMetrics, listMetrics } from '../metrics-page.js';
import { listPromqlNames, type PromqlMatcher } from './promql-metrics.js';

/** Labels that Prometheus and the PodMonitor of the chart add, and the one of histogram buckets. */
const SCRAPE_LABELS = ['namespace', 'release', 'instance', 'job', 'le'];

/** Metrics of Prometheus and Kubernetes, with their own labels. */
const FOREIGN_METRICS: Readonly<Record<string, readonly string[]>> = {
  up: [],
  kubelet_volume_stats_available_bytes: ['persistentvolumeclaim'],
  kubelet_volume_stats_capacity_bytes: ['persistentvolumeclaim'],
};

/** What `replaceVariables` writes for a variable of a dashboard. */
const ANY = '.*';

/** All values of a label; undefined when something else bounds them. */
type LabelValues = ReadonlySet<string> | undefined;

/** The metrics of the code, and the foreign ones that alert rules and dashboards use. */
export class MetricCatalogue {
  /** Values by metric and label. */
  private readonly metrics = new Map<string, Map<string, LabelValues>>();
  private readonly histograms = new Set<string>();

  constructor(apps: readonly AppMetrics[]) {
    for (const [name, labels] of Object.entries(FOREIGN_METRICS))
      this.metrics.set(name, new Map(labels.map((label) => [label, undefined])));
    for (const definition of apps.flatMap(listMetrics)) this.add(definition);
  }

  /** The metrics of the code. */
  get names(): string[] {
    return [...this.metrics.keys()].filter((name) => !Object.hasOwn(FOREIGN_METRICS, name));
  }

  /**
   * Lists the metrics, labels and values of labels in a query that do not exist.
   * @param query without variables of Grafana
   */
  findUnknown(query: string): string[] {
    const { metrics, labels, matchers } = listPromqlNames(query);
    const used = metrics.map((series) => this.toMetricName(series));
    const known = new Set([...SCRAPE_LABELS, ...used.flatMap((name) => [...this.labelsOf(name).keys()])]);
    return [
      ...used.filter((name) => !this.metrics.has(name)),
      ...labels.filter((label) => !known.has(label)),
      ...matchers.flatMap((matcher) => this.findUnknownMatches(matcher)),
    ];
  }

  private findUnknownMatches({ metrics, label, values }: PromqlMatcher): string[] {
    if (SCRAPE_LABELS.includes(label)) return [];
    return metrics.flatMap((series) => {
      const labels = this.labelsOf(this.toMetricName(series));
      if (!labels.has(label)) return [`${series}: ${label}`];
      const existing = labels.get(label);
      return values
        .filter((value) => value !== ANY && existing?.has(value) === false)
        .map((value) => `${series}: ${label}="${value}"`);
    });
  }

  /** Several apps can have the same metric, each with values of its own. */
  private add({ name, type, labels = {} }: MetricDefinition): void {
    if (type === 'histogram') this.histograms.add(name);
    const known = this.labelsOf(name);
    this.metrics.set(name, known);
    for (const [label, described] of Object.entries(labels)) {
      // The page of the metrics links to the reasons of alerts.
      const values =
        label === 'reason' && name.startsWith('settlement_bridge_fault') ? ALERT_REASON_NAMES : described;
      const isOpen = typeof values === 'string' || (known.has(label) && known.get(label) === undefined);
      known.set(label, isOpen ? undefined : new Set([...(known.get(label) ?? []), ...values]));
    }
  }

  private labelsOf(name: string): Map<string, LabelValues> {
    return this.metrics.get(name) ?? new Map<string, LabelValues>();
  }

  /** A histogram has three series. */
  private toMetricName(series: string): string {
    const name = series.replace(/_(bucket|sum|count)$/, '');
    return this.histograms.has(name) ? name : series;
  }
}
