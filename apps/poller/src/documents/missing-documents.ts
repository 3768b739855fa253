import type { LeftOut } from '../detection/detection.js';
import type { OpenItem } from '../detection/open-items.js';
import type { InvoiceState, InvoiceVersion } from '../detection/settlement/states.js';
import { documentPart, type SavedSettlement } from '../polls/saved-settlement.js';
import { describeLeftOut, type PollResult, type UnusableDocument } from '../polls/responses.js';
import { isOf, type DocumentState, type InvoiceVersionName } from './document-state.js';

/** A document that is still not served or fetched after this time is reported. */
const REPORT_AFTER_MS = 86_400_000;
/** A store that failed for this time is reported. */
const REPORT_STORE_AFTER_MS = 300_000;
/** All documents that are missing for long have one fault. */
const MISSING_DOCUMENTS = 'invoice-documents';

/** The invoices of the participant, by the part of their state. */
export type SavedInvoices = readonly (readonly [part: string, invoice: InvoiceState])[];

/** The present version of an invoice, and the state of its document. */
export interface WantedDocument {
  readonly part: string;
  readonly current: InvoiceVersion;
  /** Undefined before the first attempt. */
  readonly state: DocumentState | undefined;
}

export function listWanted(saved: SavedSettlement, invoices: SavedInvoices): readonly WantedDocument[] {
  return invoices.flatMap(([invoicePart, { current }]) => {
    if (current === undefined) return [];
    const part = documentPart(invoicePart);
    const state = saved.document(part);
    const isPresent = state !== undefined && isOf(state, versionOf(current));
    return [{ part, current, state: isPresent ? state : undefined }];
  });
}

export function versionOf({ id, figures }: InvoiceVersion): InvoiceVersionName {
  return { id, digest: figures.digest };
}

/** Why the store is not used. */
export interface StoreFailure {
  readonly since: Date;
  readonly detail: string;
}

export type DocumentReport = Pick<PollResult, 'unusable' | 'leftOut'> & {
  /** For the faults of an earlier leader; undefined for another document. */
  readonly isReadable: (document: string) => boolean | undefined;
};

type MissingSince = WantedDocument & { readonly since: Date };

/** Knows which documents are missing, and since when. */
export class MissingDocuments {
  /** When this process first saw that a document is missing, by part. */
  private readonly noticedAt = new Map<string, Date>();

  list(wanted: readonly WantedDocument[], now: Date): readonly MissingSince[] {
    const missing = wanted.filter(({ state }) => state === undefined || state.missing !== undefined);
    const parts = new Set(missing.map(({ part }) => part));
    for (const part of this.noticedAt.keys()) if (!parts.has(part)) this.noticedAt.delete(part);
    return missing.map((each) => {
      const noticed = this.noticedAt.get(each.part) ?? now;
      this.noticedAt.set(each.part, noticed);
      const since = each.state?.missing?.since;
      return { ...each, since: since === undefined ? noticed : new Date(since) };
    });
  }

  /** For the list of open items. A document is expected as soon as its invoice is seen. */
  listOpenItems(wanted: readonly WantedDocument[], now: Date): OpenItem[] {
    return this.list(wanted, now).map(({ current, state, since }) => {
      const { market, designation, periodFrom } = current.figures;
      const overdueSince = new Date(since.getTime() + REPORT_AFTER_MS);
      return {
        kind: 'document',
        ...{ market, designation, periodFrom, invoiceNumber: current.id, since: current.seenAt },
        ...(overdueSince <= now && { overdueSince: overdueSince.toISOString() }),
        ...(state?.missing && { detail: state.missing.detail }),
      };
    });
  }

  /** What is reported of the documents now. */
  report(
    wanted: readonly WantedDocument[],
    storeFailure: StoreFailure | undefined,
    now: Date,
  ): DocumentReport {
    const missing = this.list(wanted, now);
    const refused = missing.flatMap(({ part, state }): UnusableDocument[] =>
      state?.missing?.reason === 'refused' ? [{ document: part, detail: state.missing.detail }] : [],
    );
    const overdue = storeFailure === undefined ? missing.filter((each) => isOverdue(each, now)) : [];
    const unusable = [...refused, ...describeOverdue(overdue)];
    const reported = new Set(unusable.map(({ document }) => document));
    return {
      unusable,
      leftOut: describeLeftOut('settlement', [
        ...describeFullStore(missing),
        ...describeStoreFailure(missing, storeFailure, now),
      ]),
      isReadable: (document) =>
        document === MISSING_DOCUMENTS || document.startsWith('document:')
          ? !reported.has(document)
          : undefined,
    };
  }
}

/** A refused document, and one that the store has no room for, is reported at once. */
function isOverdue({ state, since }: MissingSince, now: Date): boolean {
  const reason = state?.missing?.reason;
  if (reason === 'refused' || reason === 'full') return false;
  return now.getTime() - since.getTime() >= REPORT_AFTER_MS;
}

function describeOverdue(overdue: readonly MissingSince[]): UnusableDocument[] {
  const [oldest] = overdue.toSorted((one, other) => one.since.getTime() - other.since.getTime());
  if (oldest === undefined) return [];
  const { part, since, state } = oldest;
  const reason = state?.missing?.detail ?? 'the request budget had no room for it';
  const detail = `${overdue.length} documents of invoices are missing, the first (${part}) since ${since.toISOString()}: ${reason}`;
  return [{ document: MISSING_DOCUMENTS, detail }];
}

const WHAT = 'documents of invoices';

function describeFullStore(missing: readonly MissingSince[]): LeftOut[] {
  const count = missing.filter(({ state }) => state?.missing?.reason === 'full').length;
  return count === 0 ? [] : [{ what: WHAT, count, kept: 0, range: 'DOCUMENT_STORE_MAX_BYTES is reached' }];
}

function describeStoreFailure(
  missing: readonly MissingSince[],
  failure: StoreFailure | undefined,
  now: Date,
): LeftOut[] {
  if (failure === undefined || missing.length === 0) return [];
  if (now.getTime() - failure.since.getTime() < REPORT_STORE_AFTER_MS) return [];
  return [{ what: WHAT, count: missing.length, kept: 0, range: failure.detail }];
}
