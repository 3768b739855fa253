import { describeFailure } from '../faults/failure-classification.js';
import type { OpenItem } from '../detection/open-items.js';
import type { ScheduleSettings } from '../detection/schedule/schedule-settings.js';
import type { InvoiceVersion } from '../detection/settlement/states.js';
import type { Logger } from '@ssb/platform';
import type { MarketClients } from '../market/market-clients.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { SavedSettlement } from '../polls/saved-settlement.js';
import { recordPart, type RecordPartDependencies } from '../polls/record-part.js';
import { maxRetryAfterMs, StoppingError } from '../polls/poll-failures.js';
import type { UnreadableLog } from '../polls/unreadable-log.js';
import type { FencingToken } from '../state/poller-keys.js';
import { DocumentStoreFailedError, type DocumentFetcher, type FetchResult } from './document-fetcher.js';
import { isDocumentDue, missingState, storedState } from './document-state.js';
import { giveUp, listOld } from './given-up-documents.js';
import {
  listWanted,
  MissingDocuments,
  versionOf,
  type DocumentReport,
  type SavedInvoices,
  type WantedDocument,
} from './missing-documents.js';
import { StorePause } from './store-pause.js';

/** A settlement poll ends with at most so many documents, because they are the least urgent requests. */
const MAX_DOCUMENTS_PER_POLL = 2;
export interface DocumentFetchesDependencies extends RecordPartDependencies {
  readonly fetcher: Pick<DocumentFetcher, 'fetch'>;
  readonly market: Pick<MarketClients, 'hasSpareRequest'>;
  readonly schedule: ScheduleSettings;
  readonly metrics: ParticipantMetrics;
  readonly unreadableLog: UnreadableLog;
  readonly now: () => Date;
  readonly log: Logger;
}

/** What the requests of one poll found. */
export interface DocumentRequests {
  readonly usable: number;
  readonly failures: readonly unknown[];
}

type ReadDigest = (invoice: InvoiceVersion) => Promise<string | undefined>;
type Result = Exclude<FetchResult, { readonly outcome: 'postponed' }>;

interface Attempt {
  readonly result?: Result;
  /** Whether the operator sent a response that can be used. */
  readonly isUsable?: boolean;
  readonly error?: unknown;
}

/** Fetches the documents of new invoices at the end of a settlement poll, and reports those that are missing. */
export class DocumentFetches {
  private token: FencingToken | undefined;
  private missing = new MissingDocuments();
  private readonly storePause: StorePause;
  /** The part that the store did not take last. */
  private untaken: string | undefined;

  constructor(private readonly dependencies: DocumentFetchesDependencies) {
    this.storePause = new StorePause(dependencies.schedule.retryIntervalMs);
  }

  /**
   * @param mayContinue called before each request
   * @param readDigest requests an invoice again
   * @throws FencedOffError, or the failure of Redis or the queue
   */
  async run(
    token: FencingToken,
    saved: SavedSettlement,
    invoices: SavedInvoices,
    mayContinue: () => boolean,
    readDigest: ReadDigest,
  ): Promise<DocumentRequests> {
    const { now } = this.dependencies;
    if (token !== this.token) this.missing = new MissingDocuments();
    this.token = token;
    const known = listWanted(saved, invoices);
    const ended = [...this.missing.takeReplaced(known), ...listOld(known, now())];
    await giveUp(this.dependencies, token, saved, ended);
    const failures: unknown[] = [];
    let usable = 0;
    for (const wanted of this.listDue(listWanted(saved, invoices)).slice(0, MAX_DOCUMENTS_PER_POLL)) {
      if (!mayContinue() || this.storePause.isLasting(now()) || maxRetryAfterMs(failures) > 0) break;
      const requestedAt = new Date();
      const { result, isUsable = false, error } = await this.fetch(wanted, mayContinue, readDigest);
      if (error !== undefined) failures.push(error);
      if (isUsable) usable += 1;
      if (result === undefined || saved.isStale) break;
      await this.record(token, saved, wanted, result, requestedAt);
    }
    this.showMissing(listWanted(saved, invoices));
    return { usable, failures };
  }

  /** @returns no result when the next documents have to wait too */
  private async fetch(
    { part, current }: WantedDocument,
    mayContinue: () => boolean,
    readDigest: ReadDigest,
  ): Promise<Attempt> {
    const { fetcher, market } = this.dependencies;
    let isSent = false;
    const mayRequest = async (): Promise<boolean> =>
      (isSent = mayContinue() && (await market.hasSpareRequest('settlement')));
    try {
      const result = await fetcher.fetch(current, {
        mayRequest,
        readDigest: async () => (mayContinue() ? readDigest(current) : undefined),
      });
      this.noteStore(part, result);
      if (result.outcome === 'postponed') return {};
      const error = result.outcome === 'missing' ? result.error : undefined;
      return { result, error, isUsable: isSent && error === undefined };
    } catch (error) {
      if (error instanceof DocumentStoreFailedError) {
        this.pauseStore(error.message, error.isFull);
        return { isUsable: isSent };
      }
      if (error instanceof StoppingError || !isSent) throw error;
      const missing = { reason: 'failed', detail: describeFailure(error) } as const;
      return { result: { outcome: 'missing', missing }, error };
    }
  }

  /** A store that does not take one document may take the others. After two of them it is paused. */
  private noteStore(part: string, result: FetchResult): void {
    if (result.outcome === 'missing' && result.missing.reason === 'not-stored') {
      const { reason, detail } = result.missing;
      this.dependencies.log.warn({ document: part, reason, detail }, 'document not stored');
      if (this.untaken !== undefined && this.untaken !== part) this.pauseStore(detail, false);
      this.untaken = part;
      return;
    }
    if (result.outcome === 'stored') this.untaken = undefined;
    if (this.untaken === undefined) this.storePause.end();
  }

  /** What is reported of the documents now. */
  report(saved: SavedSettlement, invoices: SavedInvoices): DocumentReport {
    const { missing, storePause } = this;
    const now = this.dependencies.now();
    return missing.report(listWanted(saved, invoices), storePause.reported(now), storePause.isKnown(), now);
  }

  listOpenItems(saved: SavedSettlement, invoices: SavedInvoices): OpenItem[] {
    return this.missing.listOpenItems(listWanted(saved, invoices), this.dependencies.now());
  }

  /** Documents that were never requested first, the newest invoice before the others; then those whose attempt was due first. */
  private listDue(wanted: readonly WantedDocument[]): readonly WantedDocument[] {
    const { now, schedule } = this.dependencies;
    const dueSince = ({ state }: WantedDocument): string => state?.missing?.nextAt ?? '';
    return wanted
      .filter(({ state }) => isDocumentDue(state, now(), maxRetryMs(schedule)))
      .toSorted(
        (one, other) =>
          dueSince(one).localeCompare(dueSince(other)) ||
          other.current.seenAt.localeCompare(one.current.seenAt),
      );
  }

  private async record(
    token: FencingToken,
    saved: SavedSettlement,
    { part, current, state }: WantedDocument,
    result: Result,
    requestedAt: Date,
  ): Promise<void> {
    const { metrics, unreadableLog, schedule, now } = this.dependencies;
    const invoice = versionOf(current);
    if (result.outcome === 'replaced')
      return giveUp(this.dependencies, token, saved, [{ part, invoice, reason: 'replaced' }]);
    const isStored = result.outcome === 'stored';
    const next = isStored
      ? storedState(invoice)
      : missingState(state, invoice, result.missing, {
          now: now(),
          retryMs: schedule.retryIntervalMs,
          maxMs: maxRetryMs(schedule),
        });
    await recordPart(this.dependencies, token, saved, {
      part,
      facts: isStored ? [result.fact] : [],
      text: JSON.stringify(next),
      requestedAt,
    });
    const reason = next.missing?.reason;
    if (reason === undefined || reason === 'not-served')
      metrics.shared.fetches.inc({ resource: 'document', outcome: isStored ? 'found' : 'not-yet' });
    const refusals = reason === 'refused' ? [{ path: part, reason: next.missing?.detail ?? '' }] : [];
    unreadableLog.recordResponse('document', refusals, part);
  }

  private pauseStore(detail: string, isFull: boolean): void {
    const { now, log } = this.dependencies;
    const attempt = this.storePause.begin(detail, isFull, now());
    log.warn({ attempt, detail }, isFull ? 'document store full' : 'document store failed');
  }

  private showMissing(wanted: readonly WantedDocument[]): void {
    const { metrics, now } = this.dependencies;
    const missing = this.missing.list(wanted, now());
    metrics.showMissingDocuments(missing.length, missing[0]?.since);
  }
}

/** A missing document is requested at least as often as an overdue invoice. */
function maxRetryMs({ dueIntervals, retryIntervalMs }: ScheduleSettings): number {
  return Math.max(retryIntervalMs, dueIntervals.at(-1)?.intervalMs ?? 0);
}
