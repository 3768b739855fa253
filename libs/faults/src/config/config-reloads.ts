import { ALL_PARTICIPANTS } from '@ssb/events';
import type { MetricDefinition, Metrics } from '@ssb/platform';
import type { FaultReporter } from '../fault-reporter.js';
import type { OperatorConfigFile } from '@ssb/config';

export const CONFIG_METRICS = {
  reloads: {
    type: 'counter',
    name: 'settlement_bridge_config_reloads_total',
    help: 'Changes of CONFIG_FILE while the app runs.',
    labels: { outcome: ['applied', 'refused'] },
  },
} as const satisfies Record<string, MetricDefinition>;

/** Counts the changes of CONFIG_FILE, and reports a refused one until a usable file follows. */
export function reportConfigReloads(
  file: Pick<OperatorConfigFile, 'observe'>,
  { metrics, faults }: { readonly metrics: Metrics; readonly faults: Pick<FaultReporter, 'raise' | 'clear'> },
): void {
  const reloads = metrics.counter(CONFIG_METRICS.reloads);
  const fault = { reason: 'configuration-refused', participant: ALL_PARTICIPANTS } as const;
  // The app has started with a usable file. An earlier process may have refused one.
  faults.clear(fault);
  file.observe({
    onApplied: () => reloads.inc({ outcome: 'applied' }),
    onRefused: (error) => {
      reloads.inc({ outcome: 'refused' });
      faults.raise({ ...fault, detail: describe(error) });
    },
    onRecovered: () => faults.clear(fault),
  });
}

const MAX_PROBLEMS = 3;

/** The first problems. They hold no secret. */
function describe(error: unknown): string {
  const problems =
    error instanceof Error && 'problems' in error && Array.isArray(error.problems)
      ? error.problems.map(String)
      : [error instanceof Error ? error.message : 'unknown failure'];
  const more = problems.length - MAX_PROBLEMS;
  return [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`${more} more problems.`] : [])].join(' ');
}
