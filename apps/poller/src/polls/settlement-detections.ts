import type { DetectedEvent, Fact } from '@ssb/events';
import { addDays, toMarketDate, type MarketDate, type ReportingClient } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import type { Detected, DetectionContext } from '../detection/detection.js';
import { digestInvoice } from '../detection/digest.js';
import { detectDisagreement } from '../detection/settlement/disagreement.js';
import { detectEstimation } from '../detection/settlement/detect-estimation.js';
import { detectInvoice, type EarlierSums } from '../detection/settlement/detect-invoice.js';
import { detectStatement } from '../detection/settlement/detect-statement.js';
import { cycleDocument } from '../detection/timeline/read-timeline.js';
import { detectTimeline } from '../detection/timeline/detect-timeline.js';
import { detectPaymentReminders } from '../detection/settlement/payments.js';
import { earlierRun, runId, type SettlementRun } from '../detection/settlement/runs.js';
import {
  formatState,
  type InvoiceState,
  type SettlementState,
  type StatementState,
} from '../detection/settlement/states.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { LargeStatements } from '../records/large-statements.js';
import type { StatementVariables } from '../state/statement-variables.js';
import { toUnreadable } from './responses.js';
import { recordPart, type RecordPartDependencies } from './record-part.js';
import { TIMELINE_PART, type SavedSettlement, type SavedStatement } from './saved-settlement.js';
import { StatementRevisions } from './statement-revisions.js';
import { partOf, type SettlementRequest } from './settlement-requests.js';

/** The requests of the settlement interface. */
export type SettlementClient = Pick<
  ReportingClient,
  'timeline' | 'statement' | 'invoice' | 'statementEstimation'
>;

export interface SettlementDetectionsDependencies extends RecordPartDependencies {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  readonly lookbackDays: number;
  readonly lookaheadDays: number;
  readonly market: { readonly settlement: SettlementClient };
  readonly largeStatements: Pick<LargeStatements, 'fit'>;
  readonly statementVariables: Pick<StatementVariables, 'read' | 'save'>;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
  readonly now: () => Date;
}

interface Response {
  /** Parts of the response that could not be used. */
  readonly unreadable: Detected<unknown>['unreadable'];
  /** What a bound left out of the facts. */
  readonly leftOut?: Detected<unknown>['leftOut'];
}

/** What the timeline showed. */
export interface TimelineResponse extends Response {
  /** Runs that were known are gone. An operator that fails may respond so. */
  readonly lacksRuns: boolean;
}

/** What the request for one document found. */
export interface DocumentResponse extends Response {
  readonly isThere: boolean;
  /** Of an invoice, also when its change is held. */
  readonly digest?: string | undefined;
}

/** Fetches one response of the settlement interface, compares it with the saved state, and records what was detected. */
export class SettlementDetections {
  /** Sums of earlier invoices that are neither saved nor in the timeline, by `runId`. */
  private readonly earlierSums = new Map<string, EarlierSums>();

  /** The day and the settings with which the windows of a statement were checked last. */
  private readonly checked = new WeakMap<StatementState, { day: MarketDate; settings: DetectionSettings }>();

  private readonly revisions: StatementRevisions;

  constructor(private readonly dependencies: SettlementDetectionsDependencies) {
    const { statementVariables, metrics, log } = dependencies;
    this.revisions = new StatementRevisions(statementVariables, metrics.shared, log);
  }

  async timeline(token: FencingToken, saved: SavedSettlement): Promise<TimelineResponse> {
    const { market, lookbackDays, lookaheadDays } = this.dependencies;
    const requestedAt = new Date();
    const today = toMarketDate(this.context().now);
    const window = { from: addDays(today, -lookbackDays), to: addDays(today, lookaheadDays) };
    const response = await market.settlement.timeline(window.from, window.to);
    const omitted = response.unreadable.map(({ path }) => path);
    const detected = detectTimeline(saved.timeline(), response.value, omitted, window, this.context());
    await this.record(token, saved, TIMELINE_PART, detected, requestedAt);
    const unreadable = [
      ...response.unreadable.map((item) => toUnreadable(item, cycleDocument(item.values[0], item.values[1]))),
      ...detected.unreadable,
    ];
    const { facts, leftOut } = detected;
    return { unreadable, leftOut, lacksRuns: facts.some(mayRemoveRuns) };
  }

  async fetch(
    token: FencingToken,
    saved: SavedSettlement,
    request: SettlementRequest,
  ): Promise<DocumentResponse> {
    const { settlement } = this.dependencies.market;
    const { resource, run } = request;
    const { marketService, periodFrom, designation } = run;
    const part = partOf(request);
    const requestedAt = new Date();
    switch (resource) {
      case 'statement': {
        const response = await settlement.statement(marketService, periodFrom, designation);
        const detected = detectStatement(saved.statement(run), run, response, this.context());
        const leftOut = [...(detected.leftOut ?? [])];
        const fit =
          response &&
          (async (event: DetectedEvent) =>
            this.dependencies.largeStatements.fit(
              await this.revisions.addChanges(token, part, event),
              response,
              (item) => leftOut.push(item),
            ));
        await this.record(token, saved, part, detected, requestedAt, fit);
        if (response !== undefined) await this.revisions.saveAnnounced(token, part, detected.state, response);
        return toResponse({ ...detected, leftOut }, response !== undefined);
      }
      case 'invoice': {
        const response = await settlement.invoice(marketService, periodFrom, designation);
        const earlierSums = this.earlierSumsOf(run, saved);
        const detected = detectInvoice(saved.invoice(run), run, response, earlierSums, this.context());
        await this.record(token, saved, part, detected, requestedAt);
        return {
          ...toResponse(detected, response !== undefined),
          digest: response && digestInvoice(response),
        };
      }
      case 'earlier-invoice': {
        const response = await settlement.invoice(marketService, periodFrom, designation);
        const detected = detectInvoice(undefined, run, response, undefined, this.context());
        this.earlierSums.set(runId(run), detected.state.current?.figures.taxSums);
        return toResponse(detected, response !== undefined);
      }
      case 'estimation': {
        const { tradingDay } = request;
        const response = await settlement.statementEstimation(periodFrom, designation, tradingDay);
        const previous = saved.estimation(run, tradingDay);
        const detected = detectEstimation(previous, run, tradingDay, response, this.context());
        await this.record(token, saved, part, detected, requestedAt);
        return toResponse(detected, response !== undefined);
      }
      default:
        return request satisfies never;
    }
  }

  /**
   * Reminders follow from the clock and the saved invoices.
   * @param lastResponseAt when the operator last responded for the invoice
   * @param listInvoices the known invoices of the participant
   */
  async remindPayment(
    token: FencingToken,
    saved: SavedSettlement,
    [part, invoice]: readonly [part: string, invoice: InvoiceState],
    lastResponseAt: Date | undefined,
    listInvoices: () => readonly InvoiceState[],
  ): Promise<void> {
    const detected = detectPaymentReminders(invoice, this.context(), lastResponseAt, listInvoices);
    if (detected.facts.length === 0) return;
    await this.record(token, saved, part, detected, new Date());
  }

  /** As `remindPayment`. Nothing changes within a market day, unless the statement or the settings do. */
  async remindDisagreement(
    token: FencingToken,
    saved: SavedSettlement,
    { part, run, statement }: SavedStatement,
  ): Promise<void> {
    const context = this.context();
    const { settings } = context;
    const day = toMarketDate(context.now);
    const last = this.checked.get(statement);
    if (last?.day === day && last.settings === settings) return;
    const detected = detectDisagreement(statement, run, context);
    if (detected.facts.length > 0) await this.record(token, saved, part, detected, new Date());
    this.checked.set(statement, { day, settings });
  }

  private earlierSumsOf(run: SettlementRun, saved: SavedSettlement): EarlierSums {
    const earlier = earlierRun(run);
    if (earlier === undefined) return undefined;
    return saved.invoice(earlier)?.current?.figures.taxSums ?? this.earlierSums.get(runId(earlier));
  }

  private async record<State extends SettlementState>(
    token: FencingToken,
    saved: SavedSettlement,
    part: string,
    { facts, state }: Detected<State>,
    requestedAt: Date,
    fit?: (event: DetectedEvent) => Promise<DetectedEvent>,
  ): Promise<void> {
    const record = { part, facts, text: formatState(state), requestedAt, ...(fit && { fit }) };
    await recordPart(this.dependencies, token, saved, record);
  }

  context(): DetectionContext {
    const { participant, settings, now } = this.dependencies;
    return { participant, settings: settings(), now: now() };
  }
}

/** A list of changes that is cut may have removals in its rest. */
function mayRemoveRuns({ type, data }: Fact): boolean {
  if (type !== 'settlementbus.timeline.changed.v1') return false;
  return data.count > data.changes.length || data.changes.some(({ kind }) => kind === 'removed');
}

function toResponse({ unreadable, leftOut }: Detected<unknown>, isThere: boolean): DocumentResponse {
  return { isThere, unreadable, leftOut };
}
