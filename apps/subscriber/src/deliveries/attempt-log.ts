import { Inject, Injectable } from '@nestjs/common';
import { PeriodicTask } from '@ssb/net';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { DATABASE } from '../database/database-options.js';
import type { Settings } from '../settings.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { deleteOldAttempts } from './outbox/attempt-table.js';

const INTERVAL_MS = 3_600_000;

/** Deletes old attempts. Every replica does, and none waits for another. */
@Injectable()
export class AttemptLog {
  private readonly deletion: PeriodicTask;

  constructor(
    @Inject(SETTINGS) { DELIVERY_LOG_DAYS: days }: Pick<Settings, 'DELIVERY_LOG_DAYS'>,
    @Inject(DATABASE) database: Database,
    metrics: SubscriberMetrics,
    @Inject(LOGGER) log: Logger,
  ) {
    this.deletion = new PeriodicTask(
      async (stopping) => {
        const count = await deleteOldAttempts(database, days, stopping);
        if (count > 0) log.info({ count }, 'old delivery attempts deleted');
      },
      INTERVAL_MS,
      (err) => {
        metrics.storageFailures.inc();
        log.error({ err }, 'deletion of old delivery attempts failed');
      },
    );
  }

  start(): void {
    this.deletion.start();
  }

  async stop(): Promise<void> {
    await this.deletion.stop();
  }
}
