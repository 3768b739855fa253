import type { MetricDefinition } from '@ssb/platform';

/** The simulator has only the metrics of every app. */
export const metricDefinitions: readonly MetricDefinition[] = [];
