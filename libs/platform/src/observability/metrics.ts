import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import {
  LATENCY_BUCKETS,
  type CounterDefinition,
  type GaugeDefinition,
  type HistogramDefinition,
  type MetricDefinition,
} from './metric-definitions.js';

export type { Gauge } from 'prom-client';

/** A counter with more combinations of label values has a series only once it is incremented. */
const MAX_INITIAL_SERIES = 64;

/** Gauges of prom-client with the suffix of a counter. `sum` of the metric without the suffix gives the same. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** The app's Prometheus metrics, served at `/metrics`. Each app has its own registry, so that tests can run many in one process. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  /** @param showsBusiness whether `/metrics` has amounts and publications of the participants (METRICS_BUSINESS) */
  constructor(private readonly showsBusiness = true) {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
  }

  /** Where the definition lists all values of each label, every series begins with 0, so that `increase()` counts its first increment. */
  counter<Label extends string = never>(definition: CounterDefinition<Label>): Counter<Label> {
    const counter = new Counter(this.configure(definition));
    for (const labels of listSeries(definition)) counter.inc(labels, 0);
    return counter;
  }

  /**
   * A business gauge takes values without METRICS_BUSINESS, but `/metrics` does not have it.
   * @param collect called at each scrape. It must be bounded in time and must not reject.
   */
  gauge<Label extends string = never>(
    definition: GaugeDefinition<Label>,
    collect?: (gauge: Gauge<Label>) => void | Promise<void>,
  ): Gauge<Label> {
    const gauge: Gauge<Label> = new Gauge({
      ...this.configure(definition),
      ...(collect && { collect: () => collect(gauge) }),
    });
    return gauge;
  }

  histogram<Label extends string = never>(definition: HistogramDefinition<Label>): Histogram<Label> {
    return new Histogram({ ...this.configure(definition), buckets: [...LATENCY_BUCKETS] });
  }

  private configure<Label extends string>(
    definition: MetricDefinition,
  ): {
    name: string;
    help: string;
    labelNames: Label[];
    registers: Registry[];
  } {
    const isShown = this.showsBusiness || !('business' in definition);
    return {
      name: definition.name,
      help: definition.help,
      labelNames: Object.keys(definition.labels ?? {}) as Label[],
      registers: isShown ? [this.registry] : [],
    };
  }
}

/** Every combination of label values; none when a label is open or there are too many. */
function listSeries<Label extends string>({
  labels,
}: CounterDefinition<Label>): Partial<Record<Label, string>>[] {
  let series: Partial<Record<Label, string>>[] = labels === undefined ? [] : [{}];
  for (const [label, values] of Object.entries<readonly string[] | string>(labels ?? {})) {
    if (typeof values === 'string' || series.length * values.length > MAX_INITIAL_SERIES) return [];
    series = series.flatMap((known) => values.map((value) => ({ ...known, [label]: value })));
  }
  return series;
}
