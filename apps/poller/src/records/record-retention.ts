import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import { RecordStore, type Removal } from '@ssb/redis-queue';
import { PollerMetrics } from '../metrics/poller-metrics.js';

const PRUNE_INTERVAL_MS = 3_600_000;

export interface RecordRetentionDependencies {
  readonly store: RecordStore;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
}

/** Removes full records that exceed the bounds, at the start and every hour, because new records may be rare. Every replica may do it. */
@Injectable()
export class RecordRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    private readonly store: RecordStore,
    private readonly metrics: PollerMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    void this.prune();
    this.timer = setInterval(() => void this.prune(), PRUNE_INTERVAL_MS);
  }

  onModuleDestroy(): void {
    this.stopping = true;
    clearInterval(this.timer);
  }

  private async prune(): Promise<void> {
    const { store, metrics, log } = this;
    try {
      await reportRecordStore(await store.prune(), { store, metrics, log });
    } catch (error) {
      if (!this.stopping) log.warn({ err: error }, 'record store could not be pruned');
    }
  }
}

/** Logs and counts records that left the store, and measures what it holds. */
export async function reportRecordStore(
  removed: readonly Removal[],
  { store, metrics, log }: RecordRetentionDependencies,
): Promise<void> {
  for (const reason of ['age', 'bytes'] as const) {
    const hashes = removed.filter((each) => each.reason === reason).map(({ sha256 }) => sha256);
    if (hashes.length === 0) continue;
    metrics.recordsRemoved.inc({ reason }, hashes.length);
    log.warn({ reason, count: hashes.length, records: hashes }, 'full records removed');
  }
  const { records, storedBytes } = await store.usage();
  metrics.records.set(records);
  metrics.recordBytes.set(storedBytes);
}
