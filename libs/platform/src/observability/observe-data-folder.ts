import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Logger } from '../logging/logger.js';
import { DATA_FOLDER_METRICS } from './common-metrics.js';
import type { GaugeDefinition } from './metric-definitions.js';
import type { Metrics } from './metrics.js';
import { ScrapeReading } from './scrape-reading.js';

/** Shows the size of the folder's file system and what is left of it. Without the folder there are no values. */
export function observeDataFolder(metrics: Metrics, folder: string, log: Logger): void {
  // A call without a response of the file system keeps one of the few threads of Node.js.
  const reading = new ScrapeReading(() => readSpace(folder), { what: 'data folder', log });
  const observe = (definition: GaugeDefinition<never>, toBytes: (found: StatsFs) => number): void => {
    metrics.gauge(definition, async (gauge) => {
      const found = await reading.get();
      if (found === undefined) gauge.remove();
      else gauge.set(toBytes(found));
    });
  };
  observe(DATA_FOLDER_METRICS.free, ({ bavail, bsize }) => bavail * bsize);
  observe(DATA_FOLDER_METRICS.size, ({ blocks, bsize }) => blocks * bsize);
}

/** @returns undefined without the folder */
async function readSpace(folder: string): Promise<StatsFs | undefined> {
  try {
    return await statfs(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
