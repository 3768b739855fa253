import type { MetricDefinition, Metrics } from '@ssb/platform';
import type { KeyRingFile } from './key-ring-file.js';

const KEY_FILES = ['origin', 'integrity', 'transaction-ids', 'gateway-password'] as const;
/** Name of a file of keys in the metrics. */
export type KeyFileName = (typeof KEY_FILES)[number];

export const KEY_METRICS = {
  reloads: {
    type: 'counter',
    name: 'settlement_bridge_keys_reloads_total',
    help: 'Changes of a file of keys.',
    labels: { file: KEY_FILES, outcome: ['applied', 'refused'] },
  },
  newestVersion: {
    type: 'gauge',
    name: 'settlement_bridge_keys_newest_version',
    help: 'Newest version that this process has read, active or not.',
    labels: { file: KEY_FILES },
  },
} as const satisfies Record<string, MetricDefinition>;

/** Shows in the metrics which version this process has read, and the refused changes. A missing file has no version. */
export function observeKeys(
  metrics: Metrics,
  files: Readonly<Partial<Record<KeyFileName, KeyRingFile | undefined>>>,
): void {
  const reloads = metrics.counter(KEY_METRICS.reloads);
  const opened = Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : { name, file }));
  for (const { name, file } of opened) file.observe((outcome) => reloads.inc({ file: name, outcome }));
  metrics.gauge(KEY_METRICS.newestVersion, (gauge) => {
    for (const { name, file } of opened) gauge.set({ file: name }, file.current().keys.at(-1)?.version ?? 0);
  });
}
