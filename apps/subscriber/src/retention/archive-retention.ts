import { Inject, Injectable } from '@nestjs/common';
import { PeriodicTask } from '@ssb/net';
import { LOGGER, Metrics, secondsSince, SETTINGS, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { DATABASE } from '../database/database-options.js';
import { METRICS } from '../metrics.js';
import type { Settings } from '../settings.js';

const INTERVAL_MS = 3_600_000;
/** Of one run. The next run continues where it ends. */
const MAX_BATCHES = 1_000;

/** The row of the table archive_retention. */
interface StoredRetention {
  readonly days: number;
  readonly completedAt: Date;
}

/**
 * Deletes archived events after the days that the database has, in batches (012-retention.sql). Every replica does, one at a time. Without
 * days nothing is deleted.
 */
@Injectable()
export class ArchiveRetention {
  private readonly deletion: PeriodicTask;
  private readonly deleted;
  private completedAt: Date | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ARCHIVE_RETENTION_DAYS'>,
    @Inject(DATABASE) private readonly database: Database,
    metrics: Metrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.deleted = metrics.counter(METRICS.eventsDeleted);
    metrics.gauge(METRICS.retentionAge, (gauge) => {
      if (this.completedAt === undefined) gauge.remove();
      else gauge.set(secondsSince(this.completedAt.getTime()));
    });
    this.deletion = new PeriodicTask(
      (stopping) => this.run(stopping),
      INTERVAL_MS,
      (err) => log.error({ err }, 'deletion of expired events failed'),
    );
  }

  start(): void {
    this.deletion.start();
  }

  async stop(): Promise<void> {
    await this.deletion.stop();
  }

  /** Deletes expired events until none is left, or as many as one run may. */
  async run(stopping: AbortSignal): Promise<void> {
    let [count, deliveries] = [0, 0];
    try {
      const stored = await this.readStored();
      this.compareWithSetting(stored?.days);
      if (stored === undefined) return;
      for (let batch = 0; batch < MAX_BATCHES && !stopping.aborted; batch += 1) {
        const [row] = await this.database.query<{ events: number; deliveries: number; is_complete: boolean }>(
          'SELECT * FROM delete_expired_events()',
        );
        if (row === undefined) break;
        count += row.events;
        deliveries += row.deliveries;
        this.deleted.inc(row.events);
        if (row.is_complete) break;
      }
      await this.readStored();
    } finally {
      if (count > 0) this.log.info({ count, deliveries }, 'expired events deleted');
    }
  }

  private compareWithSetting(stored: number | undefined): void {
    const { ARCHIVE_RETENTION_DAYS: wanted } = this.settings;
    if (stored !== wanted)
      this.log.warn(
        {
          what: stored ?? 'off',
          expect: wanted ?? 'off',
          hint: 'Apply the migrations with the ARCHIVE_RETENTION_DAYS of the subscriber.',
        },
        'archive retention of the database differs from the setting',
      );
  }

  private async readStored(): Promise<StoredRetention | undefined> {
    const [row] = await this.database.query<StoredRetention>(
      'SELECT days, completed_at AS "completedAt" FROM archive_retention',
    );
    this.completedAt = row?.completedAt;
    return row;
  }
}
