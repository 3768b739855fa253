import { addDays, toMarketDate } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import { listMissingPublications } from '../detection/open-items.js';
import { hasPassed } from '../detection/schedule/intervals.js';
import { hasOpenWindow } from '../detection/settlement/disagreement.js';
import { needsFreshInvoice } from '../detection/settlement/payments.js';
import { runOfInvoice, type SettlementRun } from '../detection/settlement/runs.js';
import type { DocumentFetches } from '../documents/document-fetches.js';
import type { SavedInvoices } from '../documents/missing-documents.js';
import { describeFailure } from '../faults/failure-classification.js';
import { forEachConcurrently } from './for-each-concurrently.js';
import type { FencingToken } from '../state/poller-keys.js';
import { FetchesFailedError, isUnusableResponse, maxRetryAfterMs } from './poll-failures.js';
import type { PollerStateStore } from '../state/poller-state-store.js';
import type { StatementVariables } from '../state/statement-variables.js';
import { describeLeftOut, toErrors, toUnusable, type PollResult } from './responses.js';
import type { DetectionRecorder } from './detection-recorder.js';
import type { UnreadableLog } from './unreadable-log.js';
import { countPublications, statementPart, TIMELINE_PART, type SavedSettlement } from './saved-settlement.js';
import { SettlementDetections, type SettlementDetectionsDependencies } from './settlement-detections.js';
import { SettlementMemory } from './settlement-memory.js';
import {
  partOf,
  SettlementRequests,
  type SettlementRequest,
  type SettlementRequestsOptions,
} from './settlement-requests.js';

const MAX_CONCURRENT_FETCHES = 4;

/** Adjustments come for about a year, and need the figures of the earlier invoice. */
const MAX_ADJUSTMENT_DAYS = 450;

/** When all documents of a poll fail, the timeline shows whether the operator can be reached. It is requested for this at such intervals. */
const PROBE_INTERVAL_MS = 5 * 60_000;

export interface SettlementPollDependencies
  extends SettlementDetectionsDependencies, SettlementRequestsOptions {
  readonly store: Pick<
    PollerStateStore,
    'currentServer' | 'readSettlement' | 'savePart' | 'deleteParts' | 'saveOpenItems'
  >;
  readonly statementVariables: Pick<StatementVariables, 'read' | 'save' | 'keepOnly'>;
  readonly recorder: DetectionRecorder;
  readonly unreadableLog: UnreadableLog;
  /** Undefined with DOCUMENT_STORE=none. */
  readonly documents?: DocumentFetches | undefined;
}

/** One poll: what was sent, and what failed. */
interface Progress {
  sent: number;
  /** Usable responses. Without one, nothing shows that this is the operator's interface. */
  usable: number;
  readonly failures: unknown[];
}

/** Requests what is due by the timeline, and records what the responses and the clock say about settlement. */
export class SettlementPoll {
  private probedAt: Date | undefined;
  /** Retry-After prevented a probe. */
  private mustProbe = false;

  private readonly requests: SettlementRequests;
  private readonly memory: SettlementMemory;
  private readonly detections: SettlementDetections;

  constructor(private readonly dependencies: SettlementPollDependencies) {
    const { store, recorder, unreadableLog } = dependencies;
    this.requests = new SettlementRequests(dependencies);
    this.memory = new SettlementMemory({
      store,
      recorder,
      unreadableLog,
      onForget: () => this.requests.forget(),
    });
    this.detections = new SettlementDetections(dependencies);
  }

  /**
   * @param mayContinue called before each request; false once this replica has lost the lease
   * @throws FetchesFailedError when requests failed and the operator cannot be reached
   */
  async run(token: FencingToken, mayContinue: () => boolean): Promise<PollResult> {
    const { requests, memory } = this;
    const saved = await memory.read(token);
    const progress: Progress = { sent: 0, usable: 0, failures: [] };
    const isTimelineDue = this.mustProbe || requests.isTimelineDue(this.runsOf(saved));
    if (isTimelineDue && mayContinue()) await this.pollTimeline(token, saved, progress);
    this.mustProbe = false;
    const runs = this.runsOf(saved);
    const mayRequest = (): boolean => mayContinue() && maxRetryAfterMs(progress.failures) === 0;
    await forEachConcurrently(
      this.listRequests(runs, saved),
      MAX_CONCURRENT_FETCHES,
      async (request) => void (await this.fetch(token, saved, request, progress)),
      mayRequest,
    );
    const isUnusable = progress.usable === 0 && progress.sent > 0;
    if (isUnusable && this.isProbeDue()) {
      if (mayRequest()) await this.probe(token, saved, progress);
      else this.mustProbe = true;
    }
    await this.remind(token, saved);
    // A document that fails by itself says nothing about the interface.
    const isReachable = progress.usable > 0 || requests.hadResponse(TIMELINE_PART, PROBE_INTERVAL_MS);
    const isFailed = !isReachable && progress.failures.length > 0;
    const fetched =
      saved.isStale || isFailed
        ? undefined
        : await this.dependencies.documents?.run(
            token,
            saved,
            this.invoicesOf(saved),
            mayRequest,
            (invoice) => {
              const run = runOfInvoice(invoice.figures, runs);
              return this.fetch(token, saved, { resource: 'invoice', run }, progress);
            },
          );
    await this.saveOpenItems(token, saved, runs);
    if (isFailed) throw new FetchesFailedError(progress.failures);
    return {
      hasUsableResponse: progress.usable + (fetched?.usable ?? 0) > 0,
      failures: [...progress.failures, ...(fetched?.failures ?? [])],
      ...this.describe(runs, saved),
    };
  }

  /** What the polls until now could not use or left out. */
  private describe(
    runs: readonly SettlementRun[],
    saved: SavedSettlement,
  ): Pick<PollResult, 'unusable' | 'isReadable' | 'leftOut'> {
    const { unusable, isReadable } = this.requests.usability(runs);
    const documents = this.dependencies.documents?.report(saved, this.invoicesOf(saved));
    return {
      unusable: [...unusable, ...(documents?.unusable ?? [])],
      isReadable: (document) => documents?.isReadable(document) ?? isReadable(document),
      leftOut: [...this.requests.leftOut(runs), ...(documents?.leftOut ?? [])],
    };
  }

  private isProbeDue(): boolean {
    const { probedAt } = this;
    const isRecent = probedAt !== undefined && !hasPassed(PROBE_INTERVAL_MS, probedAt, this.now());
    return !isRecent && this.requests.mayRepeat(TIMELINE_PART);
  }

  private async probe(token: FencingToken, saved: SavedSettlement, progress: Progress): Promise<void> {
    this.probedAt = this.now();
    await this.pollTimeline(token, saved, progress);
  }

  /** The runs of the participant's markets. */
  private runsOf(saved: SavedSettlement): readonly SettlementRun[] {
    const { markets } = this.settings();
    return (saved.timeline()?.runs ?? []).filter(({ marketService }) => markets.includes(marketService));
  }

  /** The saved invoices of the participant's markets. A payment is due although the timeline lacks its run. */
  private invoicesOf(saved: SavedSettlement): SavedInvoices {
    const { markets } = this.settings();
    return saved
      .invoices()
      .filter(([, { current }]) => current !== undefined && markets.includes(current.figures.market));
  }

  private async pollTimeline(token: FencingToken, saved: SavedSettlement, progress: Progress): Promise<void> {
    const { requests, detections } = this;
    const { unreadableLog, store, statementVariables, lookbackDays } = this.dependencies;
    await this.send(TIMELINE_PART, progress, async () => {
      const { unreadable, leftOut, lacksRuns } = await detections.timeline(token, saved);
      unreadableLog.recordResponse('cycle', unreadable);
      requests.complete(TIMELINE_PART, {
        mustRepeat: lacksRuns,
        unusable: toUnusable(unreadable, TIMELINE_PART),
        leftOut: describeLeftOut(TIMELINE_PART, leftOut),
      });
    });
    const today = toMarketDate(this.now());
    const context = detections.context();
    const removed = saved.removeBefore(
      addDays(today, -lookbackDays - MAX_ADJUSTMENT_DAYS),
      today,
      ({ statement, run }) => hasOpenWindow(statement, run, context),
    );
    requests.forgetParts(removed);
    await store.deleteParts(token, removed);
    const timeline = saved.timeline();
    // Without a timeline it is unknown what is requested again.
    if (timeline === undefined) return;
    const { runs, vanished = [] } = timeline;
    await statementVariables.keepOnly(token, new Set([...runs, ...vanished].map(statementPart)));
  }

  /** An invoice that needs a reminder is requested before it, because it may have been replaced. */
  private listRequests(runs: readonly SettlementRun[], saved: SavedSettlement): SettlementRequest[] {
    const { requests, detections } = this;
    const context = detections.context();
    const urgent = this.invoicesOf(saved).flatMap(([part, invoice]) => {
      const isUrgent =
        needsFreshInvoice(invoice, context, requests.respondedAt(part)) && requests.mayRepeat(part);
      return !isUrgent || invoice.current === undefined ? [] : [runOfInvoice(invoice.current.figures, runs)];
    });
    return requests.list(runs, saved, urgent);
  }

  /** @returns the digest of an invoice that can be used */
  private async fetch(
    token: FencingToken,
    saved: SavedSettlement,
    request: SettlementRequest,
    progress: Progress,
  ): Promise<string | undefined> {
    const { detections, requests } = this;
    const { metrics, unreadableLog } = this.dependencies;
    const resource = request.resource === 'earlier-invoice' ? 'invoice' : request.resource;
    const part = partOf(request);
    let served: string | undefined;
    const failure = await this.send(part, progress, async () => {
      const { isThere, digest, unreadable, leftOut } = await detections.fetch(token, saved, request);
      const [error] = toErrors(part, unreadable);
      requests.complete(part, { leftOut: describeLeftOut(part, leftOut) });
      if (error !== undefined) throw error;
      unreadableLog.recordResponse(resource, [], part);
      metrics.shared.fetches.inc({ resource, outcome: isThere ? 'found' : 'not-yet' });
      served = digest;
    });
    if (isUnusableResponse(failure))
      unreadableLog.recordResponse(resource, [{ path: part, reason: failure.message }], part);
    return served;
  }

  /** Counts a request. @returns its failure */
  private async send(part: string, progress: Progress, work: () => Promise<void>): Promise<unknown> {
    const { requests } = this;
    progress.sent += 1;
    requests.begin(part);
    try {
      await work();
      progress.usable += 1;
      return undefined;
    } catch (error) {
      progress.failures.push(error);
      if (isUnusableResponse(error)) {
        const isTimeline = part === TIMELINE_PART;
        const document = isTimeline ? undefined : part;
        requests.complete(part, {
          unusable: [{ document, detail: describeFailure(error) }],
          isRefused: isTimeline,
        });
      }
      return error;
    }
  }

  /** Not after a detection that could not be recorded: it is pending and must not be overwritten. */
  private async remind(token: FencingToken, saved: SavedSettlement): Promise<void> {
    const { detections, requests } = this;
    if (saved.isStale) return;
    const invoices = this.invoicesOf(saved);
    const listInvoices = () => invoices.map(([, invoice]) => invoice);
    for (const each of invoices)
      await detections.remindPayment(token, saved, each, requests.respondedAt(each[0]), listInvoices);
    for (const statement of saved.statements()) await detections.remindDisagreement(token, saved, statement);
  }

  private async saveOpenItems(
    token: FencingToken,
    saved: SavedSettlement,
    runs: readonly SettlementRun[],
  ): Promise<void> {
    const { settings, store, metrics, documents } = this.dependencies;
    const items = listMissingPublications(runs, saved, { settings: settings(), now: this.now() });
    metrics.showPublications(countPublications(runs, saved, items));
    // Without a timeline it is unknown what is expected.
    if (saved.timeline() === undefined) return;
    const files = documents?.listOpenItems(saved, this.invoicesOf(saved)) ?? [];
    await store.saveOpenItems(token, 'settlement', [...items, ...files]);
  }

  private settings(): DetectionSettings['settlement'] {
    return this.dependencies.settings().settlement;
  }

  private now(): Date {
    return this.dependencies.now();
  }
}
