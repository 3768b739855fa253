import { createHash } from 'node:crypto';
import {
  MEDIA_TYPES,
  type DocumentKey,
  type DocumentRecord,
  type DocumentStore,
  type PutResult,
} from '@ssb/documents';
import { factEventId, type Fact } from '@ssb/events';
import { dateOf, InvoiceFileError, NoResponseError, type ReportingClient } from '@ssb/market';
import { withTimeout } from '@ssb/net';
import type { Logger } from '@ssb/platform';
import type { InvoiceFigures, InvoiceVersion } from '../detection/settlement/states.js';
import { describeFailure } from '../faults/failure-classification.js';
import type { PollerMetrics } from '../metrics/poller-metrics.js';
import { isUnusableResponse } from '../polls/poll-failures.js';
import type { MissingDocument } from './document-state.js';
import type { DocumentTransfers } from './document-transfers.js';

/** Longest wait for the store, so that it delays no poll for longer. */
const STORE_TIMEOUT_MS = 15_000;

/** The document store failed or is full. It says nothing about the operator. */
export class DocumentStoreFailedError extends Error {
  override readonly name = 'DocumentStoreFailedError';

  constructor(
    message: string,
    readonly isFull = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export type FetchResult =
  | { readonly outcome: 'stored'; readonly fact: Fact }
  /** The operator serves another version by now, whose document this may be. */
  | { readonly outcome: 'replaced' }
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
  readonly transfers: DocumentTransfers;
  /** DOCUMENT_MAX_BYTES. */
  readonly maxBytes: number;
  readonly storeTimeoutMs?: number;
  readonly market: { readonly settlement: Pick<ReportingClient, 'invoiceFile'> };
  readonly metrics: PollerMetrics;
  readonly now: () => Date;
  readonly log: Logger;
}

/** An invoice version whose document is wanted. */
export type WantedInvoice = Pick<InvoiceVersion, 'id'> & {
  readonly figures: Pick<InvoiceFigures, 'market' | 'periodFrom' | 'designation' | 'digest'>;
};

export interface FetchSteps {
  /** Called before the request. */
  readonly mayRequest: () => Promise<boolean>;
  /** Requests the invoice again (operation 9). @returns its digest; undefined without a usable response */
  readonly readDigest: () => Promise<string | undefined>;
  /** Whether to wait for other transfers; otherwise the document is postponed. */
  readonly waits?: boolean;
}

/**
 * Stores the document of one invoice. Operation 8 names no version, so the invoice is requested again after the transfer: unless it is the
 * same, nothing is stored.
 */
export class DocumentFetcher {
  constructor(private readonly dependencies: DocumentFetcherDependencies) {}

  /**
   * A document that the store has is not requested again. After a crash its event is raised with the same id.
   * @throws DocumentStoreFailedError, or the failure of the request
   */
  async fetch(invoice: WantedInvoice, steps: FetchSteps): Promise<FetchResult> {
    const { participant, documents, transfers } = this.dependencies;
    const key = documentKeyOf(participant, invoice);
    const known = await this.storing(() => documents.find(key));
    if (known !== undefined) return { outcome: 'stored', fact: factOf(invoice, known) };
    if (!(await transfers.hasRoom(() => this.storing(() => documents.usage())))) throw fullError();
    if (!(await steps.mayRequest())) return { outcome: 'postponed' };
    if (transfers.isBusy() && steps.waits !== true) return { outcome: 'postponed' };
    return transfers.run(() => this.transfer(invoice, key, steps));
  }

  private async transfer(invoice: WantedInvoice, key: DocumentKey, steps: FetchSteps): Promise<FetchResult> {
    const { maxBytes, market, metrics } = this.dependencies;
    const { market: service, periodFrom, designation } = invoice.figures;
    let content: Uint8Array | undefined;
    try {
      content = await market.settlement.invoiceFile(service, periodFrom, designation, maxBytes);
    } catch (error) {
      if (!isUnusableResponse(error)) throw error;
      metrics.documentsRefused.inc({ reason: refusalOf(error) });
      return { ...missing('refused', describeFailure(error)), error };
    }
    if (content === undefined) return missing('not-served', 'the operator has no document');
    const digest = await steps.readDigest();
    if (digest === undefined)
      return missing('failed', 'operation 9 did not confirm the invoice after the transfer');
    return digest === invoice.figures.digest ? this.store(invoice, key, content) : { outcome: 'replaced' };
  }

  /** @throws DocumentStoreFailedError when the store is full */
  private async store(invoice: WantedInvoice, key: DocumentKey, content: Uint8Array): Promise<FetchResult> {
    const { participant, documents, transfers, metrics, now, log } = this.dependencies;
    const storedAt = now();
    const described = {
      ...key,
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      storedAt: storedAt.toISOString(),
    };
    const id = factEventId(factOf(invoice, described), participant, storedAt);
    let result: PutResult;
    try {
      result = await this.storing(() => documents.put({ ...described, id }, content));
    } catch (error) {
      return missing('not-stored', describeFailure(error));
    }
    if (result.outcome === 'full') {
      metrics.documentsRefused.inc({ reason: 'store-full' });
      transfers.noteFull(content.length);
      throw fullError();
    }
    const { sha256, bytes } = result.record;
    if (result.outcome === 'stored') {
      metrics.documentsStored.inc();
      log.info({ document: id, sha256, bytes }, 'document stored');
    }
    return { outcome: 'stored', fact: factOf(invoice, result.record) };
  }

  private async storing<T>(work: () => Promise<T>): Promise<T> {
    const { storeTimeoutMs = STORE_TIMEOUT_MS, metrics } = this.dependencies;
    try {
      return await withTimeout(work(), storeTimeoutMs);
    } catch (cause) {
      metrics.documentStoreFailures.inc();
      const message = `The document store cannot be used: ${describeFailure(cause)}`;
      throw new DocumentStoreFailedError(message, false, { cause });
    }
  }
}

function missing(reason: MissingDocument['reason'], detail: string) {
  return { outcome: 'missing', missing: { reason, detail } } as const;
}

function fullError(): DocumentStoreFailedError {
  return new DocumentStoreFailedError('DOCUMENT_STORE_MAX_BYTES is reached', true);
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

function refusalOf(error: Error): string {
  if (error instanceof InvoiceFileError) return error.fault;
  return error.cause instanceof NoResponseError && error.cause.reason === 'too-large' ? 'too-large' : 'other';
}
