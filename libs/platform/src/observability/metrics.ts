import { Injectable } from '@nestjs/common';
import {
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
} from 'prom-client';

/** The app's Prometheus metrics, served at `/metrics`. Each app has its own registry, so that tests can run many in one process. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  /** @param showsBusiness whether `/metrics` has amounts of the participants (METRICS_BUSINESS) */
  constructor(private readonly showsBusiness = true) {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A gauge of an amount. Without METRICS_BUSINESS it takes values, but `/metrics` does not have it. */
  businessGauge<T extends string>(configuration: GaugeConfiguration<T>): Gauge<T> {
    return new Gauge({ ...configuration, registers: this.showsBusiness ? [this.registry] : [] });
  }

  counter<T extends string>(configuration: CounterConfiguration<T>): Counter<T> {
    return new Counter({ ...configuration, registers: [this.registry] });
  }

  gauge<T extends string>(configuration: GaugeConfiguration<T>): Gauge<T> {
    return new Gauge({ ...configuration, registers: [this.registry] });
  }

  histogram<T extends string>(configuration: HistogramConfiguration<T>): Histogram<T> {
    return new Histogram({ ...configuration, registers: [this.registry] });
  }
}
