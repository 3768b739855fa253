import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Degradations, Metrics, SETTINGS } from '@ssb/platform';
import { METRICS } from '../metrics.js';
import type { Settings } from '../settings.js';
import { AccessFile } from './access-file.js';

const KEY = 'access-file-refused';

/** Reads the access file again while the app runs, and shows a refused one in metrics and health. */
@Injectable()
export class AccessMonitoring implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly file: AccessFile,
    metrics: Metrics,
    degradations: Degradations,
    @Inject(SETTINGS) { API_ACCESS_FILE: path }: Settings,
  ) {
    const reloads = metrics.counter(METRICS.accessReloads);
    metrics.gauge(METRICS.accessAge, (gauge) => gauge.set(file.ageMs / 1_000));
    file.observe({
      onApplied: () => reloads.inc({ outcome: 'applied' }),
      onRefused: () => {
        reloads.inc({ outcome: 'refused' });
        degradations.set(KEY, {
          reason: KEY,
          participant: '*',
          detail: `${path} has errors, so the previous access rights stay in use; the log has them.`,
          since: new Date(),
        });
      },
      onRecovered: () => degradations.delete(KEY),
    });
  }

  onApplicationBootstrap(): void {
    this.file.watch();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.file.close();
  }
}
