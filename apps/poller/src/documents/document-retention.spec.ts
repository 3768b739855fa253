import type { DocumentStore } from '@ssb/documents';
import { createLogger, Metrics } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { PollerMetrics } from '../metrics/poller-metrics.js';
import type { Settings } from '../settings.js';
import { DocumentRetention } from './document-retention.js';

it('a store that cannot be pruned is counted, and its last size is no longer shown', async () => {
  const metrics = new Metrics();
  const shared = new PollerMetrics(metrics);
  shared.showDocumentStore({ documents: 1, bytes: 2, oldest: new Date() }, 10);
  const lines: string[] = [];
  const log = createLogger({
    name: 'poller',
    level: 'warn',
    format: 'json',
    stream: { write: (line) => void lines.push(line) },
  });
  const documents = {
    removeBefore: () => Promise.reject(new Error('the disk is gone')),
  } as unknown as DocumentStore;
  const settings = { DOCUMENT_RETENTION_DAYS: 1, DOCUMENT_STORE_MAX_BYTES: 10 } as Settings;
  const retention = new DocumentRetention(documents, settings, shared, log);
  retention.onApplicationBootstrap();
  await waitFor('the log line', () => lines[0]);
  retention.onModuleDestroy();
  const text = await metrics.registry.metrics();
  expect(text).toContain('settlement_bridge_poller_document_store_failures_total 1');
  expect(text).not.toMatch(/^settlement_bridge_poller_document(s|_bytes|_oldest_timestamp_seconds) /m);
});
