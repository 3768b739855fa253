import { toInstant, type MarketDateTime } from '@ssb/market';
import type { DetectionSettings } from '@ssb/operator-config';
import {
  estimationsDue,
  openEstimations,
  type EstimationRequest,
} from '../detection/schedule/estimations-due.js';
import type { Publication } from '../detection/schedule/publication.js';
import { requestsDue } from '../detection/schedule/requests-due.js';
import type { ScheduleSettings } from '../detection/schedule/schedule-settings.js';
import { timelineDue } from '../detection/schedule/timeline-due.js';
import { runId, type SettlementRun } from '../detection/settlement/runs.js';
import {
  estimationPart,
  isEstimation,
  invoicePart,
  runIdOf,
  statementPart,
  TIMELINE_PART,
  type SavedSettlement,
} from './saved-settlement.js';

/** A statement, invoice or estimation to request. */
export type SettlementRequest =
  | { readonly resource: 'statement' | 'invoice'; readonly run: SettlementRun }
  | ({ readonly resource: 'estimation' } & EstimationRequest);

/** The part of the state that the answer changes. */
export function partOf(request: SettlementRequest): string {
  const { resource, run } = request;
  if (resource === 'estimation') return estimationPart(run, request.tradingDay);
  return resource === 'statement' ? statementPart(run) : invoicePart(run);
}

export interface SettlementRequestsOptions {
  readonly participant: string;
  readonly settings: DetectionSettings;
  readonly schedule: ScheduleSettings;
  /** Maximum number of statements, invoices and estimations in one poll. */
  readonly fetchesPerPoll: number;
}

type RunPublication = Publication & { readonly run: SettlementRun };

interface LastRequest {
  readonly at: Date;
  /** Requests in a row, up to this one, without a usable answer. */
  readonly failures: number;
  readonly answeredAt?: Date | undefined;
  /** Why the latest answer could not be used. */
  readonly unusable?: Error | undefined;
}

/** Decides what is requested now, from the requests and answers in this term of the lease. */
export class SettlementRequests {
  private readonly last = new Map<string, LastRequest>();

  constructor(private readonly options: SettlementRequestsOptions) {}

  /** A new term: everything is due once. */
  forget(): void {
    this.last.clear();
  }

  forgetParts(parts: readonly string[]): void {
    for (const part of parts) this.last.delete(part);
  }

  /** Before a request is sent. */
  begin(part: string): void {
    const { failures = 0, answeredAt, unusable } = this.last.get(part) ?? {};
    this.last.set(part, { at: new Date(), failures: failures + 1, answeredAt, unusable });
  }

  /** @param answer `unusable`: why the answer, or a part of it, could not be used; `isMissing`: 404 where an answer is expected */
  complete(
    part: string,
    answer: { readonly unusable?: Error | undefined; readonly isMissing?: boolean },
  ): void {
    const { at = new Date(), failures: count = 1 } = this.last.get(part) ?? {};
    const { unusable, isMissing = false } = answer;
    const failures = unusable !== undefined || isMissing ? count : 0;
    this.last.set(part, { at, failures, unusable, answeredAt: unusable === undefined ? at : undefined });
  }

  /** When the operator last answered; undefined when that answer could not be used. */
  answeredAt(part: string): Date | undefined {
    return this.last.get(part)?.answeredAt;
  }

  /** Whether so much time has passed since the last request that a failed one is repeated. */
  mayRepeat(part: string, now: Date): boolean {
    const last = this.last.get(part);
    return last === undefined || now.getTime() - last.at.getTime() >= this.options.schedule.retryIntervalMs;
  }

  /** Why the latest answer of a part could not be used. */
  unusableAnswer(part: string): Error | undefined {
    return this.last.get(part)?.unusable;
  }

  /** Answers that could not be used and that are requested again. */
  unusableAnswers(runs: readonly SettlementRun[]): readonly Error[] {
    const open = new Set(openEstimations(runs, new Date()).map(partOfEstimation));
    const keys = new Set(runs.map(runId));
    const isRequested = (part: string): boolean =>
      part === TIMELINE_PART || (isEstimation(part) ? open.has(part) : keys.has(runIdOf(part)));
    return [...this.last].flatMap(([part, { unusable }]) =>
      unusable !== undefined && isRequested(part) ? [unusable] : [],
    );
  }

  isTimelineDue(runs: readonly SettlementRun[], now: Date): boolean {
    const { participant, schedule: settings } = this.options;
    const last = this.last.get(TIMELINE_PART);
    if (last !== undefined && last.failures > 0) return this.mayRepeat(TIMELINE_PART, now);
    return timelineDue(last?.at, { participant, settings }, runs, now);
  }

  /** The most urgent requests first. @param urgentInvoices runs whose invoices come before everything else */
  list(
    runs: readonly SettlementRun[],
    saved: SavedSettlement,
    now: Date,
    urgentInvoices: readonly SettlementRun[] = [],
  ): SettlementRequest[] {
    const { participant, schedule, settings, fetchesPerPoll } = this.options;
    const publications = runs.flatMap((run) => this.listPublications(run, saved, now));
    const due = requestsDue(publications, { participant, settings: schedule }, now).map(
      ({ resource, run }): SettlementRequest => ({ resource, run }),
    );
    const estimations = settings.settlement.estimations ? this.listEstimations(runs, saved, now) : [];
    const urgent = urgentInvoices.map((run): SettlementRequest => ({ resource: 'invoice', run }));
    const all = new Map([...urgent, ...due, ...estimations].map((request) => [partOf(request), request]));
    return [...all.values()].slice(0, fetchesPerPoll);
  }

  private listPublications(run: SettlementRun, saved: SavedSettlement, now: Date): RunPublication[] {
    const statement = saved.statement(run)?.current;
    const invoice = saved.invoice(run)?.current;
    return [
      {
        resource: 'statement',
        run,
        seen: statement && seenBy(statement.figures?.publishedAt ?? run.statementDate, now),
        ...this.timesOf(statementPart(run)),
      },
      {
        resource: 'invoice',
        run,
        seen: invoice && seenBy(run.invoiceDate, now),
        ...this.timesOf(invoicePart(run)),
      },
    ];
  }

  private listEstimations(
    runs: readonly SettlementRun[],
    saved: SavedSettlement,
    now: Date,
  ): SettlementRequest[] {
    const progressOf = (request: EstimationRequest) => {
      const last = this.last.get(partOfEstimation(request));
      const { run, tradingDay } = request;
      const isSeen = saved.estimation(run, tradingDay)?.current !== undefined;
      return { isSeen, lastRequestedAt: last?.at, failures: last?.failures ?? 0 };
    };
    const requests = estimationsDue(runs, progressOf, this.options.schedule, now);
    return requests.map((request) => ({ resource: 'estimation', ...request }));
  }

  private timesOf(part: string): Pick<Publication, 'lastRequestedAt' | 'failures'> {
    const last = this.last.get(part);
    return { lastRequestedAt: last?.at, failures: last?.failures };
  }
}

/** A time in the future counts as now, so that revisions are noticed before it. */
function seenBy(publishedAt: MarketDateTime, now: Date): NonNullable<Publication['seen']> {
  return { firstSeenAt: new Date(Math.min(now.getTime(), toInstant(publishedAt).getTime())) };
}

function partOfEstimation({ run, tradingDay }: EstimationRequest): string {
  return estimationPart(run, tradingDay);
}
