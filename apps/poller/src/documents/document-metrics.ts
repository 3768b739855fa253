import { PDF_FAULTS } from '@ssb/market';
import type { MetricDefinition } from '@ssb/platform';
import { GIVEN_UP_REASONS } from './document-state.js';

const PARTICIPANT = 'PARTICIPANT';

/** The metrics of the documents of invoices. */
export const DOCUMENT_METRICS = {
  documentsStored: {
    type: 'counter',
    name: 'settlement_bridge_poller_documents_stored_total',
    help: 'PDFs of invoices that were stored.',
  },
  documentsRefused: {
    type: 'counter',
    name: 'settlement_bridge_poller_documents_refused_total',
    help: 'Responses to a request for a document that are not a complete PDF within DOCUMENT_MAX_BYTES, and documents that do not fit into the store. Each is requested again.',
    labels: { reason: [...PDF_FAULTS, 'too-large', 'store-full', 'other'] },
  },
  documentsGivenUp: {
    type: 'counter',
    name: 'settlement_bridge_poller_documents_given_up_total',
    help: 'Documents that are missing and no longer requested: replaced, or not stored 31 days after their invoice was seen. `old`: the invoice was older when it was first seen.',
    labels: { reason: GIVEN_UP_REASONS },
  },
  documentsRemoved: {
    type: 'counter',
    name: 'settlement_bridge_poller_documents_removed_total',
    help: 'Documents removed after DOCUMENT_RETENTION_DAYS.',
  },
  documentStoreFailures: {
    type: 'counter',
    name: 'settlement_bridge_poller_document_store_failures_total',
    help: 'Attempts to read, write or prune the document store that failed.',
  },
  documentsMissing: {
    type: 'gauge',
    name: 'settlement_bridge_poller_documents_missing',
    help: 'Invoices whose document is not stored yet. Absent on standby and with DOCUMENT_STORE=none.',
    labels: { participant: PARTICIPANT },
  },
  documentMissingSince: {
    type: 'gauge',
    name: 'settlement_bridge_poller_document_missing_since_timestamp_seconds',
    help: 'When the invoice was seen whose document is missing for longest; absent when none is missing.',
    labels: { participant: PARTICIPANT },
  },
  documents: {
    type: 'gauge',
    name: 'settlement_bridge_poller_documents',
    help: 'Documents in the store, of all participants; measured at the start and every hour, absent after a failure.',
  },
  documentBytes: {
    type: 'gauge',
    name: 'settlement_bridge_poller_document_bytes',
    help: 'Size of the document store; measured at the start and every hour, absent after a failure.',
  },
  documentMaxBytes: {
    type: 'gauge',
    name: 'settlement_bridge_poller_document_max_bytes',
    help: 'DOCUMENT_STORE_MAX_BYTES. A full store refuses further documents.',
  },
  oldestDocument: {
    type: 'gauge',
    name: 'settlement_bridge_poller_document_oldest_timestamp_seconds',
    help: 'When the oldest document was stored; absent without a document.',
  },
} as const satisfies Record<string, MetricDefinition>;
