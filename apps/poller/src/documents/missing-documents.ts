import type { OpenItem } from '../detection/open-items.js';
import type { InvoiceState, InvoiceVersion } from '../detection/settlement/states.js';
import { documentPart, type SavedSettlement } from '../polls/saved-settlement.js';
import { describeLeftOut, type PollResult, type UnusableDocument } from '../polls/responses.js';
import { isOf, type DocumentState, type GivenUp, type InvoiceVersionName } from './document-state.js';

/** A document that is not served or fetched this long after its invoice was seen is reported. */
const REPORT_AFTER_MS = 86_400_000;
/** A new leader first requests the documents that were never requested. */
const REPORT_UNREQUESTED_AFTER_MS = 3_600_000;
/** So many refused documents have a fault each. */
const MAX_NAMED = 5;
/** All other documents that are missing for long or refused have one fault. */
const MISSING_DOCUMENTS = 'invoice-documents';

/** The invoices of the participant, by the part of their state. */
export type SavedInvoices = readonly (readonly [part: string, invoice: InvoiceState])[];

/** The present version of an invoice, and the state of its document. */
export interface WantedDocument {
  readonly part: string;
  readonly current: InvoiceVersion;
  /** Undefined before the first attempt. */
  readonly state: DocumentState | undefined;
  /** An earlier version whose document is missing. */
  readonly replaced: InvoiceVersionName | undefined;
}

export function listWanted(saved: SavedSettlement, invoices: SavedInvoices): readonly WantedDocument[] {
  return invoices.flatMap(([invoicePart, { current }]): WantedDocument[] => {
    if (current === undefined) return [];
    const part = documentPart(invoicePart);
    const state = saved.document(part);
    if (state === undefined || isOf(state, versionOf(current)))
      return [{ part, current, state, replaced: undefined }];
    return [{ part, current, state: undefined, replaced: state.missing && state.invoice }];
  });
}

export function versionOf({ id, figures }: InvoiceVersion): InvoiceVersionName {
  return { id, digest: figures.digest };
}

/** Whether a fault is one of the documents of invoices. */
export function isDocumentFault(document: string): boolean {
  return document === MISSING_DOCUMENTS || document.startsWith('document:');
}

export type DocumentReport = Pick<PollResult, 'unusable' | 'leftOut'> & {
  /** For the faults of an earlier leader; undefined for another document. */
  readonly isReadable: (document: string) => boolean | undefined;
};

type Missing = WantedDocument & { readonly since: Date; readonly noticedAt: Date };

/** Knows which documents are missing. */
export class MissingDocuments {
  /** When this process first saw in this term that a document is missing, by part. */
  private readonly noticed = new Map<string, { readonly at: Date; readonly invoice: InvoiceVersionName }>();

  /** The oldest first. */
  list(wanted: readonly WantedDocument[], now: Date): readonly Missing[] {
    const missing = wanted.filter(({ state }) => state === undefined || state.missing !== undefined);
    const parts = new Set(missing.map(({ part }) => part));
    for (const part of this.noticed.keys()) if (!parts.has(part)) this.noticed.delete(part);
    return missing
      .map((each) => {
        const noticed = this.noticed.get(each.part) ?? { at: now, invoice: versionOf(each.current) };
        this.noticed.set(each.part, noticed);
        return { ...each, since: new Date(each.current.seenAt), noticedAt: noticed.at };
      })
      .toSorted((one, other) => one.since.getTime() - other.since.getTime());
  }

  /** The versions whose document was missing, and that were replaced since. Each is listed once. */
  takeReplaced(wanted: readonly WantedDocument[]): GivenUp[] {
    return wanted.flatMap(({ part, current, state, replaced }) => {
      const noticed = this.noticed.get(part)?.invoice;
      const isOther = noticed !== undefined && state === undefined && !isSame(noticed, versionOf(current));
      if (isOther) this.noticed.delete(part);
      const invoice = replaced ?? (isOther ? noticed : undefined);
      return invoice === undefined ? [] : [{ part, invoice, reason: 'replaced' as const }];
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

  /**
   * What is reported of the documents now.
   * @param storeFailure why the store is not used
   * @param isPaused whether missing documents wait for the store
   */
  report(
    wanted: readonly WantedDocument[],
    storeFailure: string | undefined,
    isPaused: boolean,
    now: Date,
  ): DocumentReport {
    const missing = this.list(wanted, now);
    const refused = missing.filter(isRefused);
    const named = refused.slice(0, MAX_NAMED).map(({ part, state }): UnusableDocument => {
      return { document: part, detail: state?.missing?.detail ?? '' };
    });
    const overdue = isPaused ? [] : missing.filter((each) => isOverdue(each, now));
    const unusable = [...named, ...describeMissing([...refused.slice(MAX_NAMED), ...overdue])];
    const reported = new Set(unusable.map(({ document }) => document));
    const leftOut =
      storeFailure === undefined || missing.length === 0
        ? []
        : [{ what: 'documents of invoices', count: missing.length, kept: 0, range: storeFailure }];
    return {
      unusable,
      leftOut: describeLeftOut('settlement', leftOut),
      isReadable: (document) => (isDocumentFault(document) ? !reported.has(document) : undefined),
    };
  }
}

function isSame(one: InvoiceVersionName, other: InvoiceVersionName): boolean {
  return one.id === other.id && one.digest === other.digest;
}

function isRefused({ state }: Missing): boolean {
  return state?.missing?.reason === 'refused';
}

/** A refused document is reported at once. */
function isOverdue(missing: Missing, now: Date): boolean {
  const { state, since, noticedAt } = missing;
  if (isRefused(missing) || now.getTime() - since.getTime() < REPORT_AFTER_MS) return false;
  return state !== undefined || now.getTime() - noticedAt.getTime() >= REPORT_UNREQUESTED_AFTER_MS;
}

/** The text names the newest one too, so that it changes with a further one. */
function describeMissing(missing: readonly Missing[]): UnusableDocument[] {
  const sorted = missing.toSorted((one, other) => one.since.getTime() - other.since.getTime());
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  if (oldest === undefined || newest === undefined) return [];
  const reason = oldest.state?.missing?.detail ?? 'the request budget had no room for it';
  const first = `the first (${oldest.part}) since ${oldest.since.toISOString()}: ${reason}`;
  const last = newest === oldest ? '' : `; the last (${newest.part}) since ${newest.since.toISOString()}`;
  const detail = `${missing.length} documents of invoices are missing, ${first}${last}`;
  return [{ document: MISSING_DOCUMENTS, detail }];
}
