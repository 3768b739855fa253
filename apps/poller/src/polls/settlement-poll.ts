import { addDays, toMarketDate } from '@ssb/market';
import { needsFreshInvoice } from '../detection/settlement/payments.js';
import type { SettlementRun } from '../detection/settlement/runs.js';
import { forEachConcurrently } from '../for-each-concurrently.js';
import type { FencingToken } from '../lease/lease.js';
import { FetchesFailedError, isUnusableAnswer, maxRetryAfterMs } from '../poll-failures.js';
import type { PollerMetrics } from '../poller-metrics.js';
import type { PollerStateStore } from '../state/poller-state.js';
import { toErrors } from './answers.js';
import type { PollResult } from './poll-result.js';
import type { DetectionRecorder } from './record-detection.js';
import { countPublications, invoicePart, TIMELINE_PART, type SavedSettlement } from './saved-settlement.js';
import type { SettlementDetections } from './settlement-detections.js';
import type { SettlementMemory } from './settlement-memory.js';
import { partOf, type SettlementRequest, type SettlementRequests } from './settlement-requests.js';

const MAX_CONCURRENT_FETCHES = 4;

/** Adjustments come for about a year, and need the figures of the earlier invoice. */
const MAX_ADJUSTMENT_DAYS = 450;

export interface SettlementPollDependencies {
  readonly lookbackDays: number;
  readonly requests: SettlementRequests;
  readonly memory: SettlementMemory;
  readonly detections: SettlementDetections;
  readonly state: PollerStateStore;
  readonly recorder: DetectionRecorder;
  readonly metrics: PollerMetrics;
}

/** One poll: what was sent, and what failed. */
interface Progress {
  sent: number;
  answered: number;
  readonly failures: unknown[];
}

/** Requests what is due by the timeline, and records what the answers and the clock say about settlement. */
export class SettlementPoll {
  constructor(private readonly dependencies: SettlementPollDependencies) {}

  /**
   * @param mayContinue called before each request; false once this replica has lost the lease
   * @throws FetchesFailedError when requests failed and none was answered
   */
  async run(token: FencingToken, mayContinue: () => boolean): Promise<PollResult> {
    const { requests, memory, metrics } = this.dependencies;
    const saved = await memory.read(token);
    const progress: Progress = { sent: 0, answered: 0, failures: [] };
    const isTimelineDue = requests.isTimelineDue(this.runsOf(saved), new Date());
    if (isTimelineDue && mayContinue()) await this.pollTimeline(token, saved, progress);
    const runs = this.runsOf(saved);
    await forEachConcurrently(
      this.listRequests(runs, saved),
      MAX_CONCURRENT_FETCHES,
      (request) => this.fetch(token, saved, request, progress),
      () => mayContinue() && maxRetryAfterMs(progress.failures) === 0,
    );
    // A document that fails by itself says nothing about the interface.
    if (progress.answered === 0 && progress.sent > 0 && !isTimelineDue && mayContinue())
      await this.pollTimeline(token, saved, progress);
    await this.remindPayments(token, saved, runs);
    metrics.showPublications(countPublications(runs, saved, toMarketDate(new Date())));
    const { answered, failures } = progress;
    if (answered === 0 && failures.length > 0) throw new FetchesFailedError(failures);
    return { hasAnswer: answered > 0, failures, unusable: requests.unusableAnswers(runs) };
  }

  /** The runs of the participant's markets. */
  private runsOf(saved: SavedSettlement): readonly SettlementRun[] {
    const { markets } = this.dependencies.detections.context().settings.settlement;
    return (saved.timeline()?.runs ?? []).filter(({ marketService }) => markets.includes(marketService));
  }

  private async pollTimeline(token: FencingToken, saved: SavedSettlement, progress: Progress): Promise<void> {
    const { requests, detections, recorder, state, lookbackDays } = this.dependencies;
    await this.send(TIMELINE_PART, progress, async () => {
      const { isThere, unreadable } = await detections.timeline(token, saved);
      recorder.reportUnreadable('cycle', unreadable);
      const [error] = toErrors('the timeline', unreadable);
      // Without a complete timeline the request is repeated soon.
      requests.complete(TIMELINE_PART, { isMissing: !isThere, unusable: error });
    });
    const removed = saved.removeBefore(
      addDays(toMarketDate(new Date()), -lookbackDays - MAX_ADJUSTMENT_DAYS),
    );
    requests.forgetParts(removed);
    await state.deleteParts(token, removed);
  }

  /** An invoice that needs a reminder is requested before it, because it may have been replaced. */
  private listRequests(runs: readonly SettlementRun[], saved: SavedSettlement): SettlementRequest[] {
    const { requests, detections } = this.dependencies;
    const context = detections.context();
    const urgent = runs.filter((run) => {
      const invoice = saved.invoice(run);
      const lastAnswerAt = requests.answeredAt(invoicePart(run));
      return (
        invoice !== undefined &&
        needsFreshInvoice(invoice, context, lastAnswerAt) &&
        requests.mayRepeat(invoicePart(run), context.now)
      );
    });
    return requests.list(runs, saved, context.now, urgent);
  }

  private async fetch(
    token: FencingToken,
    saved: SavedSettlement,
    request: SettlementRequest,
    progress: Progress,
  ): Promise<void> {
    const { detections, metrics, recorder, requests } = this.dependencies;
    const { resource } = request;
    const part = partOf(request);
    const error = await this.send(part, progress, async () => {
      const isThere = await detections.fetch(token, saved, request);
      requests.complete(part, {});
      metrics.fetches.inc({ resource, answer: isThere ? 'found' : 'not-yet' });
    });
    if (isUnusableAnswer(error)) recorder.reportUnreadable(resource, [{ path: part, reason: error.message }]);
  }

  /** Counts a request. @returns its failure */
  private async send(part: string, progress: Progress, work: () => Promise<void>): Promise<unknown> {
    const { requests, memory } = this.dependencies;
    progress.sent += 1;
    requests.begin(part);
    try {
      await work();
      progress.answered += 1;
      return undefined;
    } catch (error) {
      // The events of an interrupted detection are completed at the next reading.
      memory.markStale();
      progress.failures.push(error);
      if (isUnusableAnswer(error)) {
        progress.answered += 1;
        requests.complete(part, { unusable: error });
      }
      return error;
    }
  }

  private async remindPayments(
    token: FencingToken,
    saved: SavedSettlement,
    runs: readonly SettlementRun[],
  ): Promise<void> {
    const { detections, requests } = this.dependencies;
    for (const run of runs)
      await detections.remindPayment(token, saved, run, requests.answeredAt(invoicePart(run)));
  }
}
