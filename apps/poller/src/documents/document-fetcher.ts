import { createHash } from 'node:crypto';
import { MEDIA_TYPES, type DocumentKey, type DocumentRecord, type DocumentStore } from '@ssb/documents';
import { factEventId, type Fact } from '@ssb/events';
import { dateOf, InvoiceFileError, NoResponseError, type ReportingClient } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { InvoiceFigures, InvoiceVersion } from '../detection/settlement/states.js';
import { describeFailure } from '../faults/failure-classification.js';
import type { PollerMetrics } from '../metrics/poller-metrics.js';
import { isUnusableResponse } from '../polls/poll-failures.js';
import type { MissingDocument } from './document-state.js';

/** The document store failed. It says nothing about the operator. */
export class DocumentStoreFailedError extends Error {
  override readonly name = 'DocumentStoreFailedError';

  constructor(cause: unknown) {
    super(`The document store cannot be used: ${describeFailure(cause)}`, { cause });
  }
}

export type FetchResult =
  | { readonly outcome: 'stored'; readonly fact: Fact }
  | {
      readonly outcome: 'missing';
      readonly missing: Pick<MissingDocument, 'reason' | 'detail'>;
      readonly error?: Error;
    }
  /** No request was sent. */
  | { readonly outcome: 'postponed' };

export interface DocumentFetcherDependencies {
  readonly participant: string;
  readonly documents: DocumentStore;
  /** DOCUMENT_MAX_BYTES. */
  readonly maxBytes: number;
  readonly market: { readonly settlement: Pick<ReportingClient, 'invoiceFile'> };
  readonly metrics: PollerMetrics;
  readonly now: () => Date;
  readonly log: Logger;
}

/** An invoice version whose document is wanted. */
export type WantedInvoice = Pick<InvoiceVersion, 'id'> & {
  readonly figures: Pick<InvoiceFigures, 'market' | 'periodFrom' | 'designation' | 'digest'>;
};

/** Stores the document of one invoice: operation 8 serves that of the version that operation 9 serves. */
export class DocumentFetcher {
  constructor(private readonly dependencies: DocumentFetcherDependencies) {}

  /**
   * A document that the store has is not requested again. After a crash its event is raised with the same id.
   * @param mayRequest called before the request
   * @throws DocumentStoreFailedError, or the failure of the request
   */
  async fetch(invoice: WantedInvoice, mayRequest: () => Promise<boolean>): Promise<FetchResult> {
    const { participant, documents, maxBytes, market, metrics } = this.dependencies;
    const key = documentKeyOf(participant, invoice);
    const known = await storing(documents.find(key));
    if (known !== undefined) return { outcome: 'stored', fact: factOf(invoice, known) };
    if (!(await mayRequest())) return { outcome: 'postponed' };
    const { market: service, periodFrom, designation } = invoice.figures;
    let content: Uint8Array | undefined;
    try {
      content = await market.settlement.invoiceFile(service, periodFrom, designation, maxBytes);
    } catch (error) {
      if (!isUnusableResponse(error)) throw error;
      metrics.documentsRefused.inc({ reason: refusalOf(error) });
      return {
        outcome: 'missing',
        missing: { reason: 'refused', detail: describeFailure(error) },
        error,
      };
    }
    if (content === undefined)
      return {
        outcome: 'missing',
        missing: { reason: 'not-served', detail: 'the operator has no document' },
      };
    return this.store(invoice, key, content);
  }

  private async store(invoice: WantedInvoice, key: DocumentKey, content: Uint8Array): Promise<FetchResult> {
    const { participant, documents, metrics, now, log } = this.dependencies;
    const storedAt = now();
    const described = {
      ...key,
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      storedAt: storedAt.toISOString(),
    };
    const id = factEventId(factOf(invoice, described), participant, storedAt);
    const result = await storing(documents.put({ ...described, id }, content));
    if (result.outcome === 'full') {
      metrics.documentsRefused.inc({ reason: 'store-full' });
      const detail = `a document of ${content.length} bytes does not fit: the store has ${result.storedBytes} bytes of DOCUMENT_STORE_MAX_BYTES`;
      return { outcome: 'missing', missing: { reason: 'full', detail } };
    }
    const { sha256, bytes } = result.record;
    if (result.outcome === 'stored') {
      metrics.documentsStored.inc();
      log.info({ document: id, sha256, bytes }, 'document stored');
    }
    return { outcome: 'stored', fact: factOf(invoice, result.record) };
  }
}

function documentKeyOf(participant: string, { id, figures }: WantedInvoice): DocumentKey {
  const { market, periodFrom, designation, digest } = figures;
  return {
    kind: 'invoice',
    participant,
    market,
    periodFrom: dateOf(periodFrom),
    designation,
    reference: id,
    version: digest,
  };
}

type StoredBytes = Pick<DocumentRecord, 'kind' | 'sha256' | 'bytes' | 'storedAt'>;

function factOf({ id, figures }: WantedInvoice, { kind, sha256, bytes, storedAt }: StoredBytes): Fact {
  const { market, periodFrom, designation, digest } = figures;
  return {
    type: 'settlementbus.invoice.document-stored.v1',
    data: {
      invoiceId: id,
      market,
      designation,
      periodFrom,
      digest,
      sha256,
      bytes,
      mediaType: MEDIA_TYPES[kind],
      storedAt,
    },
  };
}

async function storing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new DocumentStoreFailedError(error);
  }
}

function refusalOf(error: Error): string {
  if (error instanceof InvoiceFileError) return error.fault;
  return error.cause instanceof NoResponseError && error.cause.reason === 'too-large' ? 'too-large' : 'other';
}
