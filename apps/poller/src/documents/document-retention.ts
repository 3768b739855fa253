import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { MAX_REMOVED, nameDocument, type DocumentStore } from '@ssb/documents';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { PollerMetrics } from '../metrics/poller-metrics.js';
import type { Settings } from '../settings.js';
import { DOCUMENTS } from './documents.provider.js';

const PRUNE_INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MAX_LOGGED = 20;

/** Removes documents that are older than DOCUMENT_RETENTION_DAYS and measures the store, at the start and every hour. Every replica may do it. */
@Injectable()
export class DocumentRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    @Inject(DOCUMENTS) private readonly documents: DocumentStore | undefined,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly metrics: PollerMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.documents === undefined) return;
    void this.prune(this.documents);
    this.timer = setInterval(() => void this.prune(this.documents!), PRUNE_INTERVAL_MS);
  }

  onModuleDestroy(): void {
    this.stopping = true;
    clearInterval(this.timer);
  }

  private async prune(documents: DocumentStore): Promise<void> {
    const { settings, metrics, log } = this;
    const end = new Date(Date.now() - settings.DOCUMENT_RETENTION_DAYS * DAY_MS);
    try {
      for (;;) {
        const removed = await documents.removeBefore(end);
        if (removed.length > 0) {
          metrics.documentsRemoved.inc(removed.length);
          const names = removed
            .slice(0, MAX_LOGGED)
            .map((each) => `${each.participant} ${nameDocument(each)}`);
          log.warn({ count: removed.length, until: end, documents: names }, 'documents removed');
        }
        if (removed.length < MAX_REMOVED || this.stopping) break;
      }
      metrics.showDocumentStore(await documents.usage(), settings.DOCUMENT_STORE_MAX_BYTES);
    } catch (error) {
      if (this.stopping) return;
      metrics.documentStoreFailures.inc();
      metrics.forgetDocumentStore();
      log.warn({ err: error }, 'document store could not be pruned');
    }
  }
}
