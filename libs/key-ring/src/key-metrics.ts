import type { Metrics } from '@ssb/platform';
import type { KeyRingFile } from './key-ring-file.js';

/** Name of a file of keys in the metrics. */
export type KeyFileName = 'origin' | 'integrity' | 'transaction-ids' | 'gateway-password';

/** Shows in the metrics which version this process has read, and the refused changes. A missing file has no metrics. */
export function observeKeys(
  metrics: Metrics,
  files: Readonly<Partial<Record<KeyFileName, KeyRingFile | undefined>>>,
): void {
  const reloads = metrics.counter({
    name: 'bridge_keys_reloads_total',
    help: 'Changes of a file of keys, by file and outcome: applied or refused',
    labelNames: ['file', 'outcome'],
  });
  const opened = Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : { name, file }));
  for (const { name, file } of opened) file.observe((outcome) => reloads.inc({ file: name, outcome }));
  metrics.gauge({
    name: 'bridge_keys_newest_version',
    help: 'Newest version that this process has read, active or not, by file of keys',
    labelNames: ['file'],
    collect() {
      for (const { name, file } of opened) this.set({ file: name }, file.current().keys.at(-1)?.version ?? 0);
    },
  });
}
