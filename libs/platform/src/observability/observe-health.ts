import { PLATFORM_METRICS } from './common-metrics.js';
import type { Liveness } from './liveness.js';
import type { Metrics } from './metrics.js';
import type { CheckReport, Readiness } from './readiness.js';
import { VERSION } from '../version.js';

/** Shows the app's version and its checks in the metrics. Each scrape runs the checks, which have a timeout. */
export function observeHealth(
  app: string,
  { metrics, readiness, liveness }: { metrics: Metrics; readiness: Readiness; liveness: Liveness },
): void {
  metrics.gauge(PLATFORM_METRICS.info).set({ app, version: VERSION, node: process.version }, 1);
  metrics.gauge(PLATFORM_METRICS.ready, async (gauge) => {
    const { checks } = await readiness.report();
    for (const [check, report] of Object.entries(checks)) gauge.set({ check }, toValue(report));
  });
  metrics.gauge(PLATFORM_METRICS.live, (gauge) => {
    const { checks } = liveness.report();
    for (const [check, report] of Object.entries(checks)) gauge.set({ check }, toValue(report));
  });
}

function toValue({ status }: CheckReport): number {
  return status === 'up' ? 1 : 0;
}
